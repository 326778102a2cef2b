"""What the domain refuses an act of the dashboard's with, told in Portuguese; its own words are English."""

from __future__ import annotations

import re
from typing import Final

from edge.domain.language import Lang

_SAID: Final = tuple(
    (re.compile(english, re.DOTALL), portuguese)
    for english, portuguese in (
        (r"the comment is blank", "o comentário está em branco"),
        (r"the answer is blank", "a resposta está em branco"),
        (r"the comment of this key was forgotten", "o comentário deste formulário foi esquecido"),
        (r"this key was used for another comment", "este formulário já foi usado para outro comentário"),
        (r"this key was used for another vote", "este formulário já foi usado para outro voto"),
        (r"this question was answered already", "esta pergunta já foi respondida"),
        (r"this chat is closed", "esta conversa está fechada"),
        (r"no question (.+) in this chat", r"não há nenhuma pergunta \1 nesta conversa"),
        (r"no question (.+)", r"não há nenhuma pergunta \1"),
        (r"no act (.+)", r"não há nenhum ato \1"),
        (r"(.+) is parked on a question to the operator", r"\1 está à espera da resposta a uma pergunta"),
        (r"no artefato (.+) is published", r"nenhum artefato \1 está publicado"),
        (r"(.+) was forgotten, for good", r"\1 foi esquecido, para sempre"),
        (r"no live proposal (.+)", r"nenhuma proposta viva \1"),
        (r"no live steer (.+)", r"nenhum steer vivo \1"),
        (r"(.+) was superseded by (.+), for good", r"\1 foi substituído por \2, para sempre"),
        (r"(.+) is set already", r"\1 já está definido"),
        (r"dropping a steer needs a reason", "retirar um steer precisa de uma razão"),
        (r"(.+) is an entity, and only a fact is promoted", r"\1 é uma entidade, e só um facto se promove"),
        (r"(.+) has no words to promote", r"\1 não tem palavras para promover"),
        (r"this needs its reason", "isto precisa da sua razão"),
        (r"no knowledge (.+)", r"nada se conhece como \1"),
        (r"a curated source needs the operator's opinion of it", "uma fonte curada precisa da sua opinião"),
        (r"retiring a source needs its reason", "retirar a opinião precisa de uma razão"),
        (r"you hold no opinion of (.+)", r"não tem opinião guardada sobre \1"),
        (r"a source needs its ref", "uma fonte precisa da sua referência"),
    )
)


def told(said: str, lang: Lang) -> str:
    """A refusal in the page's language; one that is not known here stays as it was said."""
    if lang == "en":
        return said
    for english, portuguese in _SAID:
        if found := english.fullmatch(said):
            return found.expand(portuguese)
    return said
