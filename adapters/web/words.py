"""What the pages say, in English and Portuguese. Terms of the domain stay as they are."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, tzinfo
from typing import Any, Final

from edge.domain.grill import moment
from edge.domain.language import Lang
from edge.domain.remedies import NAMED

_MONTHS: Final = {
    "en": "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(),
    "pt": "jan fev mar abr mai jun jul ago set out nov dez".split(),
}

# name: (English, Portuguese)
WORDS: Final[dict[str, tuple[str, str]]] = {
    # -- everywhere
    "skip": ("Skip to the content", "Saltar para o conteúdo"),
    "pages": ("Pages", "Páginas"),
    "voz": ("Voz", "Voz"),
    "artefatos": ("Artefatos", "Artefatos"),
    "direction": ("Direction", "Direction"),
    "knowledge": ("Knowledge", "Conhecimento"),
    "briefing": ("Briefing", "Briefing"),
    "sources": ("Sources", "Fontes"),
    "health": ("Health", "Saúde"),
    "audit": ("Audit", "Auditoria"),
    "language": ("Language", "Língua"),
    "logout": ("Log out", "Sair"),
    "news": ("There is something new.", "Há novidades."),
    "show-news": ("Show it", "Mostrar"),
    "lost": ("Not live: trying to reconnect", "Sem ligação ao vivo: a tentar de novo"),
    "more": ("Older ones", "Mais antigos"),
    "newest": ("Back to the newest", "Voltar aos mais recentes"),
    "back": ("Back", "Voltar"),
    "general": ("general", "geral"),
    "at-position": ("position {n}", "posição {n}"),
    "catching-up": (
        "The read models are being brought up to date; what you see may be a little old.",
        "As vistas estão a ser atualizadas; o que vê pode estar um pouco atrasado.",
    ),
    "done:commented": ("Said. The next grill will take it up.", "Dito. O próximo grill vai tratar disso."),
    "done:answered": ("Answered. The next grill acts on it.", "Respondido. O próximo grill age sobre isso."),
    "done:withdrawn": ("Withdrawn.", "Retirado."),
    "done:voted": ("Your vote is recorded.", "O seu voto está registado."),
    "done:accepted": ("Accepted: it is set now.", "Aceite: está definido agora."),
    "done:rejected": ("Taken out of Direction.", "Retirado da Direction."),
    "done:promoted": ("Promoted: it is curated now.", "Promovido: agora é curado."),
    "done:contested": ("Contested: it stays, and is shown so.", "Contestado: fica, e é mostrado assim."),
    "done:opinion": ("Your opinion stands above its score.", "A sua opinião está acima da pontuação."),
    "done:no-opinion": ("Held no longer: its score counts again.", "Retirada: a pontuação volta a contar."),
    "done:retired": ("Retired: it is shown no more.", "Reformado: não é mais mostrado."),
    # -- logging in
    "login": ("Log in", "Entrar"),
    "login-intro": (
        "This is one operator's private rail. Open the URL that `edge dashboard --url` prints;"
        " it works once. Or paste its token here.",
        "Este é o canal privado de um operador. Abra o URL que `edge dashboard --url` escreve;"
        " funciona uma vez. Ou cole aqui o token.",
    ),
    "secret": ("Token or password", "Token ou palavra-passe"),
    "secret-token": ("Token", "Token"),
    "login-failed": ("That did not open it.", "Isso não abriu."),
    "login-hint": (
        "A token works once and for 15 minutes; `edge dashboard --url` prints another.",
        "Um token funciona uma vez e por 15 minutos; `edge dashboard --url` escreve outro.",
    ),
    # -- Voz
    "voz-intro": (
        "What you say here is an order to edge. The next grill answers; it does not interrupt the work.",
        "O que diz aqui é uma ordem ao edge. O próximo grill responde; nada interrompe o trabalho em curso.",
    ),
    "waiting": ("Waiting for you", "À sua espera"),
    "waiting-none": ("Nothing waits for you.", "Nada à sua espera."),
    "compose": ("Say something", "Diga algo"),
    "compose-on": ("Comment on this artefato", "Comente este artefato"),
    "compose-hint": (
        "At most 8 KiB. Markdown is not rendered.",
        "No máximo 8 KiB. Markdown não é interpretado.",
    ),
    "about": ("About", "Sobre"),
    "about-none": ("nothing in particular", "nada em particular"),
    "harm": ("Urgency", "Urgência"),
    "harm:0": ("as it comes", "quando calhar"),
    "harm:20": ("soon", "em breve"),
    "harm:50": ("urgent", "urgente"),
    "harm:100": ("before all else", "antes de tudo"),
    "say": ("Say it", "Dizer"),
    "timeline": ("Timeline", "Cronologia"),
    "timeline-none": ("Nothing has been said yet.", "Ainda nada foi dito."),
    "show": ("Show", "Mostrar"),
    "which:all": ("all", "todos"),
    "which:open": ("open", "abertos"),
    "which:parked": ("parked", "em espera"),
    "which:closed": ("closed", "fechados"),
    "you": ("You", "Você"),
    "edge": ("edge", "edge"),
    "on": ("on", "sobre"),
    "state:naked": ("sent", "enviado"),
    "state:received": ("received", "recebido"),
    "state:owed": ("answer owed", "resposta devida"),
    "state:parked": ("asks you", "pergunta-lhe"),
    "state:answered-by-you": ("you answered", "você respondeu"),
    "state:replied": ("answered", "respondido"),
    "state:folded-to-direction": ("folded into Direction", "incorporado na Direction"),
    "state:retired-direction": ("a steer was retired", "um steer foi retirado"),
    "state:acknowledged": ("acknowledged", "registado"),
    "state:semantic_answered": ("answered elsewhere", "respondido noutro sítio"),
    "state:dead_lettered": ("withdrawn or set aside", "retirado ou posto de lado"),
    "state:resolved": ("closed", "fechado"),
    "steer-made": ("The steer it became", "O steer em que se tornou"),
    "steer-gone": ("The steer it retired", "O steer que retirou"),
    "asks": ("edge asks", "o edge pergunta"),
    "answered-with": ("Your answer", "A sua resposta"),
    "answer-label": ("Your answer", "A sua resposta"),
    "answer": ("Answer", "Responder"),
    "withdraw": ("Withdraw", "Retirar"),
    "withdraw-sure": ("Take this comment back?", "Retirar este comentário?"),
    "events": ("Its events", "Os seus eventos"),
    "urgency": ("urgency {n}", "urgência {n}"),
    # -- artefatos
    "artefatos-none": (
        "Nothing is published yet. A dispatch publishes with `edge close --artefato`.",
        "Ainda nada foi publicado. Um dispatch publica com `edge close --artefato`.",
    ),
    "why": ("Why", "Porquê"),
    "no-why": ("Published without its why.", "Publicado sem o seu porquê."),
    "cites": ("Cites", "Cita"),
    "cites-none": ("It cites nothing.", "Não cita nada."),
    "proposes": ("Proposes", "Propõe"),
    "distills": ("Distils", "Destila"),
    "comments": ("Comments", "Comentários"),
    "comments-none": ("Nobody has commented on it.", "Ninguém o comentou."),
    "vote": ("Vote", "Voto"),
    "vote-up": ("Useful", "Útil"),
    "vote-down": ("Not useful", "Não útil"),
    "vote-clear": ("Take the vote back", "Retirar o voto"),
    "voted:1": ("You found it useful.", "Achou-o útil."),
    "voted:-1": ("You found it not useful.", "Achou-o não útil."),
    "voted:0": ("No vote yet.", "Ainda sem voto."),
    "open-chats": ("{n} open", "{n} abertos"),
    "revision": ("revision {n}", "revisão {n}"),
    "relevant": ("relevant", "relevante"),
    "tier:set": ("set", "definido"),
    "tier:proposed": ("proposed", "proposto"),
    "tier:gone": ("gone", "retirado"),
    "tier:expired": ("expired", "expirado"),
    # -- Direction
    "direction-intro": (
        "The current strategy. Only what you set is an order; proposals wait for you.",
        "A estratégia atual. Só o que você define é ordem; as propostas esperam por si.",
    ),
    "set": ("Set", "Definidos"),
    "set-none": ("No steer is set.", "Nenhum steer definido."),
    "proposed": ("Proposed", "Propostos"),
    "proposed-none": ("Nothing is proposed.", "Nada proposto."),
    "expired": ("Expired", "Expirados"),
    "direction-none": ("Nothing has moved Direction yet.", "Nada moveu a Direction ainda."),
    "accept": ("Accept", "Aceitar"),
    "reject": ("Reject", "Rejeitar"),
    "drop": ("Drop", "Largar"),
    "reason": ("Reason", "Motivo"),
    "until": ("until {date}", "até {date}"),
    "from-chat": ("from what you said", "do que você disse"),
    "from-artefato": ("from artefato {slug}", "do artefato {slug}"),
    "by-hand": ("by hand", "à mão"),
    "over-time": ("Direction over time", "A Direction ao longo do tempo"),
    "over-time-text": (
        "{n} changes of {items} steers, {since} to {until}.",
        "{n} mudanças de {items} steers, de {since} a {until}.",
    ),
    "as-of": ("As of", "Tal como em"),
    "as-of-slider": ("Position in the log", "Posição no log"),
    "as-of-when": ("or a date or position", "ou uma data ou posição"),
    "as-of-go": ("Look back", "Ver"),
    "as-of-now": ("Back to now", "Voltar a agora"),
    "as-of-is": ("This is how it was at {when}.", "Era assim em {when}."),
    "history": ("History", "História"),
    "op:propose": ("proposed", "proposto"),
    "op:set": ("set", "definido"),
    "op:drop": ("dropped", "largado"),
    "op:supersede": ("superseded by", "substituído por"),
    "kind:phase": ("phase", "fase"),
    "kind:priority": ("priority", "prioridade"),
    "kind:constraint": ("constraint", "restrição"),
    "kind:thread": ("thread", "linha"),
    "actor:operator": ("you", "você"),
    "actor:grill": ("the grill", "o grill"),
    "actor:dispatch": ("a dispatch", "um dispatch"),
    "actor:import": ("an import", "uma importação"),
    # -- knowledge
    "knowledge-intro": (
        "What your sessions suggest, and what you made of it. Machines only ever write hypotheses.",
        "O que as suas sessões sugerem, e o que fez disso. As máquinas só escrevem hipóteses.",
    ),
    "knowledge-none": (
        "Nothing is known yet. `edge open` sweeps your sessions and extracts from them.",
        "Ainda nada se sabe. `edge open` varre as suas sessões e extrai delas.",
    ),
    "search": ("Search", "Procurar"),
    "search-label": ("Words to search for", "Palavras a procurar"),
    "found": ("Found for “{q}”", "Encontrado para «{q}»"),
    "found-none": ("Nothing that is known speaks of it.", "Nada do que se sabe fala disso."),
    "map": ("What is spoken of", "Do que se fala"),
    "map-text": (
        "{n} subjects and {ties} ties between them, a colour for each cluster; the larger, the more episodes"
        " speak of it. The list below holds the same.",
        "{n} assuntos e {ties} ligações entre eles, uma cor por agrupamento; quanto maior, mais episódios"
        " falam dele. A lista abaixo diz o mesmo.",
    ),
    "map-list": ("The same as a list", "O mesmo em lista"),
    "n-episodes": ("{n} episodes", "{n} episódios"),
    "n-facts": ("{n} facts", "{n} factos"),
    "statements": ("Statements", "Afirmações"),
    "statements-none": ("None in this tier.", "Nenhuma neste nível."),
    "all": ("all", "todas"),
    "tier:hypothesis": ("hypothesis", "hipótese"),
    "tier:contested": ("contested", "contestado"),
    "tier:curated": ("curated", "curado"),
    "tier:retired": ("retired", "reformado"),
    "tier:merged": ("merged", "fundido"),
    "tier:said": ("said by a curated one", "dito por um curado"),
    "clusters": ("Clusters", "Agrupamentos"),
    "subjects": ("About", "Sobre"),
    "said-in": ("Said in", "Dito em"),
    "said-in-none": ("No living episode says so any more.", "Nenhum episódio vivo o diz."),
    "valid-from": ("since {date}", "desde {date}"),
    "curate": ("Curate", "Curar"),
    "promote": ("Promote", "Promover"),
    "contest": ("Contest", "Contestar"),
    "retire": ("Retire", "Reformar"),
    "statement": ("In your words, if you like", "Nas suas palavras, se quiser"),
    "its-curation": ("Your word on it", "A sua palavra sobre isto"),
    # -- Briefing
    "briefing-now": ("As it would be shown now", "Tal como seria mostrado agora"),
    "briefing-shown": ("Just as it was shown", "Tal como foi mostrado"),
    "briefing-recomputed": (
        "No Briefing was shown then: recomputed from the log.",
        "Não foi mostrado nenhum Briefing então: recalculado do log.",
    ),
    # -- sources
    "sources-intro": (
        "What edge drew on, and what came of it. Your own opinion stands above any score.",
        "Em que o edge se baseou, e no que deu. A sua opinião está acima de qualquer pontuação.",
    ),
    "sources-none": (
        "No artefato has cited anything yet, and you hold no opinion of a source.",
        "Nenhum artefato citou ainda nada, e não há opinião sua sobre uma fonte.",
    ),
    "source": ("Source", "Fonte"),
    "source-kind": ("Kind", "Tipo"),
    "score": ("Score", "Pontuação"),
    "tier": ("Tier", "Nível"),
    "weights": ("What its score comes from", "De onde vem a pontuação"),
    "weights-none": ("Nothing has happened to it yet.", "Ainda nada lhe aconteceu."),
    "weights-left": ("and {n} older ones", "e {n} mais antigos"),
    "weight": ("Weight", "Peso"),
    "weight-now": ("Now", "Agora"),
    "weight-about": ("From", "De"),
    "weight-when": ("When", "Quando"),
    "signal": ("What happened", "O que aconteceu"),
    "signal:cited": ("cited", "citada"),
    "signal:used": ("offered and used", "oferecida e usada"),
    "signal:ignored": ("offered, not used", "oferecida, não usada"),
    "signal:credit": ("what came of an artefato that cites it", "no que deu um artefato que a cita"),
    "curate-source": ("Hold an opinion of a source", "Ter uma opinião sobre uma fonte"),
    "opinion-why": ("What you hold of it, and why", "O que acha dela, e porquê"),
    "hold": ("Hold this opinion", "Guardar esta opinião"),
    "hold-no-longer": ("Hold it no longer", "Deixar de a ter"),
    "mundo": ("the world", "mundo"),
    "atividade": ("your activity", "atividade"),
    "opinion": ("Your opinion", "A sua opinião"),
    # -- why
    "why-title": ("Why edge says so", "Porque o edge o diz"),
    "why-intro": (
        "The chain of events behind a thing, each step below what it led to, down to what was said.",
        "A cadeia de eventos por trás de uma coisa, cada passo sob aquilo a que levou, até ao que foi dito.",
    ),
    "why-id": ("An id, a source, or DISPATCH#N", "Um id, uma fonte, ou DISPATCH#N"),
    "why-ask": ("Ask", "Perguntar"),
    "why-link": ("Why?", "Porquê?"),
    "why-lines": ("Why each line stands here", "Porque está aqui cada linha"),
    # -- health
    "remedies": ("What to run", "O que correr"),
    "ok": ("All is well", "Tudo bem"),
    "degraded": ("Degraded", "Degradado"),
    "away": ("The log does not answer: {said}", "O log não responde: {said}"),
    "strip": ("The strip", "A faixa"),
    "strip:open": ("open chats", "chats abertos"),
    "strip:actionable": ("actionable", "acionáveis"),
    "strip:awaiting": ("waiting for you", "à sua espera"),
    "strip:backlog": ("backlog", "backlog"),
    "strip:overflow": ("overflow", "excedente"),
    "strip:naked": ("without a receipt", "sem recibo"),
    "lags": ("How far behind", "Atrasos"),
    "lag:projection": ("read models, events behind", "vistas, eventos em atraso"),
    "lag:knowledge": ("episodes not extracted yet", "episódios por extrair"),
    "lag:graph": ("graph, results behind", "grafo, resultados em atraso"),
    "lag:sweep": ("last sweep", "último sweep"),
    "lag:head": ("log position", "posição do log"),
    "lag:follower": ("this dashboard follows the log", "este painel segue o log"),
    "never": ("never", "nunca"),
    "yes": ("yes", "sim"),
    "log-mode": ("log", "log"),
    "cost": ("What extraction cost", "Quanto custou a extração"),
    "cost:episodes": ("episodes", "episódios"),
    "cost:calls": ("model calls", "chamadas ao modelo"),
    "cost:tokens": ("tokens", "tokens"),
    "cost:seconds": ("seconds", "segundos"),
    "errors": ("What is broken", "O que está partido"),
    "errors-none": ("Nothing is broken.", "Nada está partido."),
    "unfinished": ("Unfinished grill runs", "Grills por terminar"),
    "activity": ("Activity", "Atividade"),
    "activity-none": ("Nothing happened in these weeks.", "Nada aconteceu nestas semanas."),
    "activity-text": (
        "The last {days} days: {said}.",
        "Os últimos {days} dias: {said}.",
    ),
    "day": ("Day", "Dia"),
    "as-table": ("The same as a table", "O mesmo em tabela"),
    "activity:voz": ("what you said", "o que disse"),
    "activity:reply": ("what edge said", "o que o edge disse"),
    "activity:episode": ("episodes", "episódios"),
    "activity:artefato": ("artefatos", "artefatos"),
    "activity:direction": ("steers moved", "steers movidos"),
    # -- audit
    "audit-intro": (
        "The log itself, which everything else is folded from. Read from it directly, a page at a time.",
        "O próprio log, de que tudo o resto é derivado. Lido diretamente, uma página de cada vez.",
    ),
    "last-events": ("Events, the latest first", "Eventos, os últimos primeiro"),
    "events-none": ("No events.", "Sem eventos."),
    "streams": ("Streams", "Streams"),
    "streams-of": (
        "Those that the last {n} events stand in.",
        "Aqueles em que estão os últimos {n} eventos.",
    ),
    "stream": ("Stream", "Stream"),
    "type": ("Type", "Tipo"),
    "time": ("Time", "Hora"),
    "position": ("Position", "Posição"),
    "actor": ("By", "Por"),
    "event": ("Event", "Evento"),
    "data": ("Data", "Dados"),
    "metadata": ("Metadata", "Metadados"),
    "chain": ("The chain it belongs to", "A cadeia a que pertence"),
    "chain-of": (
        "Events of the same act, dispatch or run, and what led to them, among the {n} events around it.",
        "Eventos do mesmo ato, dispatch ou grill, e o que levou a eles, entre os {n} eventos à volta.",
    ),
    "led-to": ("led to by", "causado por"),
    "replay": ("Replay", "Reconstruir"),
    "replay-intro": (
        "Fold the log up to a position or a time, and see what was known then.",
        "Dobrar o log até uma posição ou hora, e ver o que se sabia então.",
    ),
    "replaying": ("Replaying the log…", "A reconstruir o log…"),
    "replaying-text": ("{n} events folded so far.", "{n} eventos dobrados até agora."),
    "replay-reload": ("This page looks again by itself.", "Esta página volta a ver sozinha."),
    "then-open": ("Chats open then", "Chats abertos então"),
    "then-artefatos": ("Artefatos published by then", "Artefatos publicados até então"),
    "then-none": ("None.", "Nenhum."),
    # -- refusals
    "oops:400": ("That request could not be read", "Esse pedido não se percebeu"),
    "oops:401": ("Log in first", "Entre primeiro"),
    "oops:403": ("Refused", "Recusado"),
    "oops:404": ("There is no such thing here", "Aqui não há tal coisa"),
    "oops:405": ("That cannot be done here", "Isso não se faz aqui"),
    "oops:408": ("That took too long", "Isso demorou demasiado"),
    "oops:409": ("That is settled already", "Isso já está decidido"),
    "oops:413": ("That is too much", "Isso é demais"),
    "oops:422": ("That cannot be taken as it is", "Assim não pode ser aceite"),
    "oops:429": ("Too often", "Vezes demais"),
    "oops:500": ("Something went wrong here", "Algo correu mal aqui"),
    "oops:503": ("Not now", "Agora não"),
    "nothing-written": ("Nothing was written.", "Nada foi escrito."),
    "bad-host": (
        "This name is not one the dashboard goes by; `[dashboard] allow` in edge.toml adds one.",
        "Este nome não é um dos do painel; `[dashboard] allow` em edge.toml acrescenta um.",
    ),
    "bad-origin": (
        "This did not come from a page of this dashboard.",
        "Isto não veio de uma página deste painel.",
    ),
    "bad-csrf": (
        "This form is not of your session: load the page again.",
        "Este formulário não é da sua sessão.",
    ),
    "bad-request": ("The request was cut off, or is none.", "O pedido foi cortado, ou não é um."),
    "too-large": ("At most 8 KiB of text fit.", "No máximo cabem 8 KiB de texto."),
    "too-slow": ("The request did not arrive in time.", "O pedido não chegou a tempo."),
    "too-often": ("Wait a little, then try again.", "Espere um pouco, e tente de novo."),
    "blank": ("Say something, or leave it.", "Diga algo, ou deixe."),
    "not-here": ("It may never have been, or be gone.", "Pode nunca ter existido, ou já não estar."),
    "unexpected": ("It is recorded in the dashboard's own log.", "Está registado no log do próprio painel."),
    **{f"remedy:{item}": named for item, named in NAMED.items()},
}


def words_in(lang: Lang) -> Callable[..., str]:
    """The table's words in one language: ``t(name, **values)``."""
    column = 0 if lang == "en" else 1

    def t(name: str, **values: Any) -> str:
        return WORDS[name][column].format(**values) if values else WORDS[name][column]

    return t


def has(name: str) -> bool:
    return name in WORDS


def shown_time(at: str, zone: tzinfo, lang: Lang, seconds: bool = False) -> str:
    """A stored time as a person reads it, in the operator's zone."""
    when = moment(at, datetime.min)
    if when == datetime.min:
        return at
    local = when.astimezone(zone)
    clock = f"{local:%H:%M:%S}" if seconds else f"{local:%H:%M}"
    return f"{local.day} {_MONTHS[lang][local.month - 1]} {local.year}, {clock}"


def shown_day(at: str, zone: tzinfo, lang: Lang) -> str:
    return shown_time(at, zone, lang).partition(",")[0]
