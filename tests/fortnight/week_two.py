"""The second week: Monday the 9th to Sunday the 15th of November 2026."""

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
    Curation,
    Day,
    Decision,
    Drop,
    Forget,
    Grill,
    Open,
    Promote,
    Retire,
    Rules,
    Session,
    Steer,
    Vote,
)

MONDAY: Final = Day(
    date(2026, 11, 9),
    (
        Session(
            "08:20",
            "lasca-1",
            "farolim",
            """> Lasca reads every column of the archive. Let it prune columns first.
            < Lasca prunes columns two levels deep now.""",
        ),
        Open("09:00"),
        Close(
            "12:00",
            "Onze enxertos, e ninguém tinha escrito quais pegaram",
            Artefato(
                "enxertos",
                "Enxertos de macieira: o que pegou",
                "Oito de onze enxertos pegaram; os enxertos de garfo pegaram todos, na encosta.",
                cites=(Cite("rega", 2),),
                proposes=(Steer("Enxertar outra vez em março", "Só de garfo.", "thread"),),
                about=("enxertos-1", "enxertos-2", "enxertos-3"),
            ),
            answered=("purpose",),
        ),
        Answer("13:00", "five", "no"),
        Answer("13:10", "two", "It keeps one, I looked"),
        Comment("13:20", "scale", "De agora em diante os gráficos levam escala"),
        Comment("13:30", "good", "Muito bom", on="enxertos"),
        Vote("13:40", "enxertos", "up"),
        Vote("13:45", "quilha-rollbacks", "clear"),
        Promote("14:00", "Trama depends on Novelo"),
        Session(
            "15:00",
            "palette-1",
            "tear",
            """> Anil mixes the dyes wrong: every blue of the palette is grey.
            < Anil mixed dyes by weight; the palette is blue again.""",
        ),
        Session(
            "16:10",
            "frames-4",
            "farolim",
            """> How many buoy frames did Brume replay in the night?
            < Brume replayed nine hundred buoy frames and lost none.""",
        ),
        Grill(
            "18:00",
            (
                Decision("two", "reply", "One since August: the page said two."),
                Decision("five", "acknowledge"),
                Decision("good", "acknowledge"),
                Decision(
                    "scale",
                    "fold",
                    steer=Steer(
                        "Duas páginas, com escala",
                        "Duas páginas no máximo, e os gráficos levam escala.",
                        "constraint",
                        supersedes="Relatórios de duas páginas",
                    ),
                ),
            ),
            (
                Curation("set", "Refuse knots deeper than four"),
                Curation("drop", "Medir a bomba à noite", "a bomba tem contador"),
                Curation("source", "rega", "medido no terreno"),
            ),
        ),
    ),
)

TUESDAY: Final = Day(
    date(2026, 11, 10),
    (
        Session(
            "08:00",
            "private-1",
            "papeis",
            """> Lasca prune: my columns, my own salary.
            < Lasca pruned the salary columns of the archive.""",
        ),
        Session(
            "08:30",
            "lasca-2",
            "farolim",
            """> Show which columns of the archive Lasca could prune and does not.
            < Lasca skips pruning where columns of the archive have no index.""",
        ),
        Open("09:00"),
        Forget("10:00", "private-1"),
        Close(
            "11:00",
            "The spool was doubled since, so the page had to say so",
            Artefato(
                "brume-backlog",
                "Why Brume loses buoy frames at night",
                "Each buoy has a spool of its own in Brume since Saturday; a replay brings frames back.",
                cites=(Cite("replay", 2), Cite("ferry", 1)),
                proposes=(
                    Steer("Replay frames within one hour", "Lost frames come back within the hour."),
                    Steer("Keep a day of frames", "Whatever it costs.", "thread"),
                ),
                about=("frames-1", "frames-2", "frames-3", "frames-4"),
                republish=True,
            ),
        ),
        Session(
            "13:00",
            "sensors-1",
            "pomar",
            """> O Orvalho marca humidade a mais. Os sensores de humidade mentem?
            < Dois sensores de humidade do Orvalho estão descalibrados.""",
        ),
        Open("14:00"),
        Close(
            "16:00",
            "Reading an archive took longer than writing it",
            Artefato(
                "lasca-columns",
                "Which columns Lasca prunes",
                "Lasca prunes two levels of columns; an archive without an index is read whole.",
                cites=(Cite("pruning", 1, relevant=True), Cite("replay")),
                proposes=(Steer("Prune at write", "Not at every read.", "priority"),),
                about=("lasca-1", "lasca-2", "lasca-3"),
            ),
        ),
        Accept("17:00", "Replay frames within one hour"),
        Comment("17:10", "six", "O replay deve correr antes das seis", on="brume-backlog"),
        Vote("17:20", "brume-backlog", "up"),
        Comment("17:30", "deep", "How deep is the pruning?", on="lasca-columns"),
        Drop("17:40", "Draw each knot", "nobody looked at the drawings"),
    ),
)

WEDNESDAY: Final = Day(
    date(2026, 11, 11),
    (
        Session(
            "08:10",
            "sensors-2",
            "pomar",
            """> Calibra os sensores de humidade contra o poço.
            < Calibrei três sensores de humidade; o Orvalho concorda com o poço.""",
        ),
        Session(
            "08:40",
            "private-copy",
            "papeis",
            """> File last year's tax letters by month.
            < Filed four letters.""",
            copies="private-1",
        ),
        Open("09:00"),
        Close(
            "12:00",
            "Regava-se terra molhada",
            Artefato(
                "sensores-humidade",
                "Sensores de humidade que mentem",
                "O Orvalho confia em sensores de humidade descalibrados; contra o poço, dois mentem.",
                cites=(
                    Cite("rega", 0, relevant=True),
                    Cite("rega session", 2, kind="atividade"),
                ),
                proposes=(Steer("Calibrar sensores à segunda", "Antes da primeira volta.", "constraint"),),
                about=("sensors-1", "sensors-2", "sensors-3"),
            ),
        ),
        Answer("13:00", "stop", "nenhum"),
        Comment("13:10", "agreed", "Concordo", on="sensores-humidade"),
        Comment("13:15", "well", "Evita confiar no sensor do poço", on="sensores-humidade"),
        Vote("13:20", "sensores-humidade", "up"),
        Vote("13:30", "lasca-columns", "down"),
        Session(
            "14:00",
            "palette-2",
            "tear",
            """> Give the palette of Anil two more dyes from madder.
            < Anil has two madder dyes; the palette holds nine.""",
        ),
        Session(
            "15:00",
            "knots-3",
            "tear",
            """> Trama must refuse knots deeper than four threads.
            < Trama refuses nested knots and names the thread.""",
        ),
        Rules(
            "21:00",
            (
                Decision("stop", "acknowledge"),
                Decision("well", "park"),
                Decision("agreed", "acknowledge"),
                Decision("six", "park"),
                Decision("deep", "park"),
            ),
        ),
    ),
)

THURSDAY: Final = Day(
    date(2026, 11, 12),
    (
        Session(
            "08:10",
            "soundings-1",
            "farolim",
            """> Sextante fails one sounding in ten. Which soundings are flaky?
            < Four soundings in Sextante are flaky at low water.""",
        ),
        Open("09:00"),
        Close(
            "12:00",
            "Two weavers asked for the same blue and got two",
            Artefato(
                "dye-palette",
                "The dye palette of Anil",
                "Anil mixes nine dyes by weight; the palette names each dye by its plant.",
                proposes=(Steer("Name dyes by plant", "Latin beside it.", "thread"),),
                about=("palette-1", "palette-2", "palette-3"),
            ),
        ),
        Answer("13:00", "six", "sim"),
        Answer("13:05", "deep", "talvez"),
        Comment("13:10", "blues", "Let's use fewer blues", on="dye-palette"),
        Comment("13:15", "perfect", "Perfeito, obrigado", on="dye-palette"),
        Comment("13:20", "where", "Para onde vai o registo antigo?"),
        Vote("13:30", "dye-palette", "up"),
        Vote("13:35", "mares-da-barra", "clear"),
        Curate("14:00", "ferry", "says what it keeps and for how long"),
        Retire("14:10", "winds", "as datas chegaram"),
        Session(
            "15:00",
            "letters-2",
            "papeis",
            """> Responde à carta da seguradora sobre o telhado.
            < A resposta à seguradora está pronta.""",
        ),
        Session(
            "15:30",
            "lasca-3",
            "farolim",
            """> Write an index so that Lasca can prune columns of the old archive.
            < Lasca prunes columns of the old archive: the index is written.""",
        ),
    ),
)

FRIDAY: Final = Day(
    date(2026, 11, 13),
    (
        Session(
            "08:10",
            "soundings-2",
            "farolim",
            """> Repeat the flaky soundings of Sextante at high water.
            < At high water no sounding of Sextante is flaky.""",
        ),
        Session(
            "08:30",
            "sensors-3",
            "pomar",
            """> O Orvalho já não mente?
            < Os sensores de humidade do Orvalho estão certos.""",
            goes_on="sensors-2",
        ),
        Open("09:00"),
        Close(
            "12:00",
            "A red sounding had stopped meaning anything",
            Artefato(
                "sextante-flakes",
                "Flaky soundings in Sextante",
                "Four soundings of Sextante are flaky, all of them at low water, none at high.",
                cites=(Cite("pruning"), Cite("frames session", kind="atividade")),
                proposes=(Steer("Rerun a failed sounding once", "Never twice.", "constraint"),),
                about=("soundings-1", "soundings-2", "soundings-3"),
            ),
        ),
        Comment("13:00", "job", "Good job", on="sextante-flakes"),
        Comment("13:05", "silent", "Never rerun silently", on="sextante-flakes", harm=40),
        Comment("13:10", "raw", "Where are the raw numbers kept?"),
        Vote("13:15", "sextante-flakes", "up"),
        Session(
            "14:00",
            "buoys-1",
            "farolim",
            """> A carta de boias do Almenara tem duas boias trocadas.
            < Troquei as boias na carta do Almenara.""",
        ),
        Session(
            "15:00",
            "palette-3",
            "tear",
            """> Take one blue out of the palette of Anil.
            < The palette of Anil has eight dyes.""",
        ),
        # by harm: 40 + 10 + 15, 10 + 20 + 3 days, 20 + 3 days; the newest artefato's thanks have 15
        Grill(
            "18:00",
            (
                Decision(
                    "silent",
                    "fold",
                    steer=Steer("No silent reruns", "Every rerun says so.", "constraint"),
                ),
                Decision(
                    "six",
                    "fold",
                    steer=Steer(
                        "Replay antes das seis",
                        "O replay corre antes das seis.",
                        supersedes="Replay frames within one hour",
                    ),
                ),
                Decision("deep", "reply", "Two levels."),
            ),
            most=3,
        ),
    ),
)

SATURDAY: Final = Day(
    date(2026, 11, 14),
    (
        Session(
            "09:00",
            "buoys-2",
            "farolim",
            """> Põe a luz de cada boia na carta do Almenara.
            < A carta do Almenara mostra a luz das boias.""",
        ),
        Session(
            "09:30",
            "nightly-buoys",
            "farolim",
            """> Resume as boias da carta do Almenara.
            < A carta do Almenara tem trinta boias.""",
            program=True,
        ),
        Open("10:00"),
        Close(
            "12:00",
            "A carta impressa é de antes do molhe",
            Artefato(
                "carta-de-boias",
                "A carta de boias do Almenara",
                "Trinta boias, a luz de cada uma, e duas que estavam trocadas na carta.",
                cites=(Cite("almanac"), Cite("replay", 1)),
                proposes=(Steer("Rever a carta em maio", "Com o molhe novo.", "thread"),),
                about=("buoys-1", "buoys-2"),
            ),
            answered=("raw", "where"),
        ),
        Comment("13:00", "missing", "Falta a boia do cabo", on="carta-de-boias"),
        Comment("13:05", "excellent", "Excelente trabalho", on="carta-de-boias"),
        Vote("13:10", "carta-de-boias", "up"),
        Vote("13:20", "carta-de-boias", "down"),
        Session(
            "15:00",
            "rollback-3",
            "farolim",
            """> Quilha asks twice before a rollback. Once is enough.
            < Quilha asks once before a rollback of a release.""",
        ),
        Session(
            "16:00",
            "soundings-3",
            "farolim",
            """> Let Sextante say at which water a sounding is flaky.
            < Sextante writes the water beside each flaky sounding.""",
        ),
        Rules(
            "21:00",
            (
                Decision("missing", "park"),
                Decision("excellent", "acknowledge"),
                Decision("blues", "park"),
                Decision("perfect", "acknowledge"),
                Decision("job", "acknowledge"),
            ),
        ),
    ),
)

SUNDAY: Final = Day(
    date(2026, 11, 15),
    (
        Session(
            "09:00",
            "photos-2",
            "papeis",
            """> Print the photographs of the smallest island.
            < Six photographs are printed.""",
        ),
        Session(
            "09:30",
            "enxertos-3",
            "pomar",
            """> Conta os enxertos de macieira que deram folha.
            < Sete enxertos de macieira deram folha.""",
        ),
        Open("10:00", "beat"),
        Close("10:30", "A semana em três linhas, antes de recomeçar"),
        Answer("11:00", "blues", "yes"),
        Answer("11:05", "missing", "não"),
        Answer("11:10", "well", "sim"),
        Comment("11:20", "tomorrow", "Amanhã começamos pela barra"),
        Comment("11:25", "yes", "Agreed"),
        Vote("11:30", "dye-palette", "down"),
        Rules(
            "21:00",
            (
                Decision("missing", "acknowledge"),
                Decision(
                    "well",
                    "fold",
                    steer=Steer("Evita confiar no sensor do poço", "Evita confiar no sensor do poço"),
                ),
                Decision("blues", "fold", steer=Steer("Let's use fewer blues", "Let's use fewer blues")),
                Decision("tomorrow", "park"),
                Decision("yes", "acknowledge"),
            ),
        ),
    ),
)

WEEK_TWO: Final = (MONDAY, TUESDAY, WEDNESDAY, THURSDAY, FRIDAY, SATURDAY, SUNDAY)
