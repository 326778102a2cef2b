"""The first week: Monday the 2nd to Sunday the 8th of November 2026."""

from __future__ import annotations

from datetime import date
from typing import Final

from tests.fortnight.acts import (
    Accept,
    Answer,
    Artefato,
    Cite,
    Close,
    Comment,
    Curate,
    Day,
    Decision,
    Grill,
    Imported,
    Open,
    Propose,
    Rules,
    Session,
    Set,
    Steer,
    Vote,
    Withdraw,
)

MONDAY: Final = Day(
    date(2026, 11, 2),
    (
        Imported(
            "07:00",
            (
                ("old_1", "Os relatórios chegam tarde à segunda", None),
                ("old_2", "Thank you for the charts", None),
            ),
        ),
        Open("07:30"),
        Close(
            "07:50",
            "Ninguém sabia de cor quando a barra deixa passar",
            Artefato(
                "mares-da-barra",
                "Marés da barra",
                "Lua nova e lua cheia trazem as águas vivas; entre elas, a barra fecha ao calado maior.",
                cites=(Cite("almanac", 1, relevant=True),),
            ),
        ),
        Session(
            "09:10",
            "frames-1",
            "farolim",
            """> Brume drops buoy frames at night. Brume uses Cinza. Find where the frames are lost.
            < Found it: `brume/spool.py` drops frames when the spool is full.
            > Good. Count the dropped frames per buoy.""",
        ),
        Session(
            "10:20",
            "rega-1",
            "pomar",
            """> A rega do talhão norte parou. O Nascente não abre a válvula da rega.
            < Corrigi: o Nascente abre a válvula da rega às quatro da madrugada.""",
        ),
        Session(
            "11:30",
            "invoices-1",
            "papeis",
            """> Rename the invoice files by client and month.
            < Renamed twelve invoices.""",
        ),
        Session(
            "16:00",
            "frames-2",
            "farolim",
            """> Make Brume replay the lost buoy frames from its spool.
            < Added `brume/replay.py`: Brume replays frames of the last hour.""",
        ),
        Session(
            "16:30",
            "nightly-frames",
            "farolim",
            """> Summarise the buoy frames Brume lost tonight.
            < Brume lost forty buoy frames tonight.""",
            program=True,
        ),
        Comment("20:00", "short", "Prefiro relatórios curtos, duas páginas no máximo"),
        Comment("20:05", "silt", "Que fonte diz que a barra assoreou?", on="mares-da-barra"),
        Vote("20:10", "mares-da-barra", "up"),
    ),
)

TUESDAY: Final = Day(
    date(2026, 11, 3),
    (
        Open("09:00"),
        Close(
            "12:00",
            "Forty frames a night were lost and nobody had said why",
            Artefato(
                "brume-backlog",
                "Why Brume loses buoy frames at night",
                "The spool of Brume is full by two, and every buoy frame after that is dropped. "
                "A replay of the spool brings the frames back.",
                cites=(
                    Cite("replay", 1, relevant=True),
                    Cite("frames session", 1, kind="atividade"),
                    Cite("frames commit", 1, kind="atividade"),
                ),
                proposes=(
                    Steer("Replay frames within one hour", "Lost frames come back within the hour."),
                    Steer("Alarm when a buoy is silent", "Silence of two hours rings.", "constraint"),
                ),
                distills=("how frames are lost",),
                about=("frames-1", "frames-2", "frames-3", "frames-4"),
            ),
        ),
        Session(
            "13:00",
            "rega-2",
            "pomar",
            """> O Nascente rega duas vezes o mesmo talhão. Vê o horário da rega.
            < Feito: o horário da rega está em `nascente/horario.toml`.""",
        ),
        Session(
            "14:00",
            "letters-1",
            "papeis",
            """> Escreve uma carta ao condomínio sobre o elevador avariado.
            < A carta ao condomínio está pronta.""",
        ),
        Comment(
            "15:00", "hour", "The replay window must be one hour, never two", on="brume-backlog", harm=10
        ),
        Vote("15:05", "brume-backlog", "up"),
        Comment("15:10", "fine", "Obrigado, ficou ótimo", on="brume-backlog"),
        Vote("15:20", "mares-da-barra", "down"),
        Grill(
            "18:00",
            (
                Decision(
                    "hour",
                    "fold",
                    "Agreed.",
                    steer=Steer("Replay within the hour", "Never two.", "priority"),
                ),
                Decision("fine", "acknowledge"),
                Decision(
                    "short",
                    "fold",
                    steer=Steer("Relatórios de duas páginas", "Duas páginas no máximo.", "constraint"),
                ),
                Decision("old_1", "reply", "Passam a sair ao domingo à noite."),
                Decision("old_2", "acknowledge"),
                Decision("silt", "reply", "O almanaque de 1931, e mais nenhuma."),
            ),
        ),
    ),
)

WEDNESDAY: Final = Day(
    date(2026, 11, 4),
    (
        Open("09:00"),
        Close(
            "12:00",
            "O talhão norte secou numa semana de chuva",
            Artefato(
                "rega-noturna",
                "A rega noturna do talhão norte",
                "A válvula da rega abre duas vezes quando o Nascente reinicia; de madrugada chega uma.",
                cites=(
                    Cite("rega", 1),
                    Cite("rega session", 1, relevant=True, kind="atividade"),
                    Cite("almanac"),
                ),
                proposes=(
                    Steer("Regar só de madrugada", "A bomba liga às quatro, nunca de tarde.", "phase"),
                    Steer("Medir a bomba à noite", "Uma medida por hora.", "thread"),
                ),
                about=("rega-1", "rega-2", "rega-3", "garden-copy"),
            ),
        ),
        Session(
            "13:10",
            "knots-1",
            "tear",
            """> Trama compiles a flat weave but fails on knots of four threads.
            < Trama rejects nested knots: `trama/knots.py` has no case for them.""",
        ),
        Session(
            "13:50",
            "invoices-2",
            "papeis",
            """> Which invoices of October are unpaid?
            < Three invoices of October are unpaid.""",
        ),
        Accept("14:00", "Regar só de madrugada"),
        Comment("15:00", "pump", "Isso não é verdade: a bomba não liga às quatro", on="rega-noturna"),
        Comment("15:10", "thx", "Thanks", on="rega-noturna"),
        Comment("15:20", "valve", "Should we keep the old valve?"),
        Comment("15:25", "until", "Quando é que a rega acaba?", on="rega-noturna"),
        Vote("15:30", "rega-noturna", "up"),
        Rules(
            "21:00",
            (
                Decision("pump", "park"),
                Decision("thx", "acknowledge"),
                Decision("until", "park"),
                Decision("valve", "park"),
            ),
        ),
    ),
)

THURSDAY: Final = Day(
    date(2026, 11, 5),
    (
        Session(
            "08:15",
            "knots-2",
            "tear",
            """> Trama depends on Novelo. Let Trama draw nested knots before it compiles them.
            < Trama now draws knots as trees, four threads deep.""",
        ),
        Open("09:00", "load"),
        Close("11:00", "Li os registos da bomba antes de responder"),
        Session(
            "11:30",
            "rollback-1",
            "farolim",
            """> Quilha left two releases half deployed. Roll the release back.
            < Rolled back: `quilha rollback` restores the release before.""",
        ),
        Answer("13:00", "valve", "yes"),
        Answer("13:05", "until", "não"),
        Comment("13:10", "table", "Use the tide table before any night run"),
        Propose(
            "14:00",
            Steer("Try a lead line again", "By hand, once a week.", "thread", expires="2026-11-13"),
        ),
        Session(
            "15:00",
            "garden-copy",
            "pomar",
            """> Diz ao Nascente que domingo não há rega.
            < Feito: `nascente/horario.toml` salta o domingo.""",
            copies="rega-2",
        ),
        Rules(
            "22:00",
            (
                Decision("until", "acknowledge"),
                Decision(
                    "valve",
                    "fold",
                    steer=Steer("Should we keep the old valve?", "Should we keep the old valve?"),
                ),
                Decision("table", "park"),
            ),
        ),
    ),
)

FRIDAY: Final = Day(
    date(2026, 11, 6),
    (
        Open("09:00"),
        Close(
            "12:00",
            "The loom stopped twice on the same cloth",
            Artefato(
                "loom-knots",
                "Knots that Trama cannot tie",
                "Nested knots of five threads have no case in Trama; four threads compile.",
                cites=(Cite("knots", 1, relevant=True), Cite("knots", 2)),
                proposes=(
                    Steer("Refuse knots deeper than four", "Say which thread.", "constraint"),
                    Steer("Draw each knot", "Before it is compiled.", "thread"),
                ),
                distills=("what a loom can tie", "depth of nesting"),
                about=("knots-1", "knots-2", "knots-3"),
            ),
        ),
        Answer("13:00", "pump", "1"),
        Comment("13:05", "great", "Great work", on="loom-knots"),
        Comment("13:10", "five", "Why four and not five?", on="loom-knots"),
        Vote("13:20", "loom-knots", "up"),
        Answer("13:25", "table", "sim, por favor"),
        Session(
            "14:00",
            "rollback-2",
            "farolim",
            """> Quilha must ask before a rollback deletes a release.
            < Quilha asks now, and keeps the deleted release for a day.""",
        ),
        Session(
            "15:00",
            "photos-1",
            "papeis",
            """> Sort the holiday photographs by island.
            < Sorted ninety photographs.""",
        ),
        Grill(
            "17:00",
            (
                Decision("pump", "retire", "Regar só de madrugada"),
                Decision(
                    "table",
                    "fold",
                    steer=Steer("Tide table first", "Use the tide table before any night run."),
                ),
                Decision("great", "acknowledge"),
                Decision("five", "park", "Do five threads hold on your loom?"),
            ),
        ),
    ),
)

SATURDAY: Final = Day(
    date(2026, 11, 7),
    (
        Session(
            "09:20",
            "enxertos-1",
            "pomar",
            """> Regista os enxertos de macieira que pegaram na encosta.
            < Registei onze enxertos de macieira, oito pegaram.""",
        ),
        Open("10:00"),
        Close(
            "12:00",
            "A release stood half deployed for an afternoon",
            Artefato(
                "quilha-rollbacks",
                "Rolling a release back with Quilha",
                "A rollback restores the release before, and Quilha asks before it deletes one.",
                cites=(Cite("ferry", 2), Cite("frames commit", 2, kind="atividade")),
                proposes=(Steer("Roll back in one command", "No second question.", "priority"),),
                about=("rollback-1", "rollback-2", "rollback-3"),
            ),
        ),
        Answer("14:00", "five", "only when they are waxed"),
        Comment("14:10", "two", "This is wrong, it keeps two releases", on="quilha-rollbacks"),
        Vote("14:20", "quilha-rollbacks", "down"),
        Comment("14:30", "stop", "Pare de resumir tudo o que faço"),
        Comment("14:32", "oops", "Esquece, era para outro lado"),
        Withdraw("14:35", "oops"),
        Session(
            "15:10",
            "frames-3",
            "farolim",
            """> Brume still drops frames of the north buoy.
            < Fixed: Brume keeps frames of the north buoy in its own spool.""",
        ),
        Rules(
            "21:30",
            (Decision("two", "park"), Decision("stop", "park"), Decision("five", "park")),
        ),
    ),
)

SUNDAY: Final = Day(
    date(2026, 11, 8),
    (
        Open("10:00", "research"),
        Close(
            "11:00",
            "Every chart here names its winds in another tongue",
            Artefato(
                "glossary-of-winds",
                "A glossary of winds",
                "Mistral, sirocco, levanter, nortada: who named them, and from which shore.",
                cites=(Cite("winds"), Cite("almanac", 1)),
            ),
        ),
        Vote("12:00", "glossary-of-winds", "up"),
        Vote("12:01", "glossary-of-winds", "clear"),
        Comment("12:10", "purpose", "Bonito, mas serve para quê?", on="glossary-of-winds"),
        Curate("12:20", "winds", "bem desenhado, mas sem datas", spelling=1),
        Set("12:30", Steer("Sunday is for reading", "No runs today.", "phase", expires="2026-11-08")),
        Session(
            "16:00",
            "enxertos-2",
            "pomar",
            """> Compara os enxertos de garfo com os enxertos de borbulha na macieira.
            < Na macieira pegam melhor os enxertos de garfo.""",
        ),
        Session(
            "18:00",
            "rega-3",
            "pomar",
            """> O Nascente não regou o talhão norte.
            < A válvula da rega estava presa; o Nascente já a abre.""",
        ),
    ),
)

WEEK_ONE: Final = (MONDAY, TUESDAY, WEDNESDAY, THURSDAY, FRIDAY, SATURDAY, SUNDAY)
