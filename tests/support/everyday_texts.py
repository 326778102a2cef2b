"""Names and sentences of no particular day, in Portuguese and English; sentences come in pairs."""

from __future__ import annotations

NAMES = 24
"""The first of them; after these each English sentence stands before its Portuguese one."""

TEXTS = """\
Ana
Rui Tavares
Payments team
notify.py
courier
PostgreSQL
Redis
GitHub Actions
retry policy
política de retentativas
relatório semanal
weekly report
edge
Claude Code
src/limits.py
staging
produção
Direction
o cliente da horta
invoice service
serviço de faturas
API
CI
docker compose
The retry policy stands in limits.py.
A política de retentativas está em limits.py.
notify.py sends messages through the courier.
O notify.py envia mensagens pelo courier.
Reports name their sources.
Os relatórios nomeiam as fontes.
We moved the queue from Redis to PostgreSQL.
Mudámos a fila do Redis para o PostgreSQL.
Ana reviews every change to the payment code.
A Ana revê todas as mudanças no código de pagamentos.
The build fails on Python 3.11.
A build falha no Python 3.11.
Tests run before every merge.
Os testes correm antes de cada merge.
The operator prefers short answers.
O operador prefere respostas curtas.
Messages are lost when the worker restarts.
Perdem-se mensagens quando o worker reinicia.
The cache hides errors of the server.
O cache esconde erros do servidor.
Deploys happen on Friday morning.
Os deploys são à sexta de manhã.
The timeout was raised to thirty seconds.
O tempo limite subiu para trinta segundos.
The client asked for a shorter invoice.
O cliente pediu uma fatura mais curta.
Secrets are kept out of the log.
Os segredos ficam fora do log.
A migration adds an index on the orders table.
Uma migração acrescenta um índice à tabela de encomendas.
The graph is rebuilt from the log.
O grafo é refeito a partir do log.
Every comment gets a receipt.
Cada comentário recebe um recibo.
The dashboard shows what waits for an answer.
O painel mostra o que espera por resposta.
Irrigation begins at six in the morning.
A rega começa às seis da manhã.
Tomatoes are sold by weight.
Os tomates vendem-se a peso.
The partner has the contract.
O sócio tem o contrato.
Backups are made every night.
As cópias de segurança fazem-se todas as noites.
We decided to drop support for Windows.
Decidimos deixar de suportar o Windows.
The library was pinned to version 2.
A biblioteca ficou fixada na versão 2.
Figures stand in tables, everything else is prose.
Os números estão em tabelas, o resto é prosa.
""".splitlines()
