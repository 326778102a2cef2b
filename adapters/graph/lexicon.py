"""The words the rule reading goes by: what is a name anyway, and what never is one.

Words are compared folded (lower case, no accents). The tables hold what is common in talk about
software in English and Portuguese; they are no dictionary, and need none: a capitalised word
counts only where a sentence does not begin.
"""

from __future__ import annotations

from typing import Final

CASED_TECHNOLOGIES: Final = frozenset(
    "Go Rust Swift Ruby Julia Dart React Express Node Svelte Spring Unity Vault Consul Nomad Helm Make"
    " Vim Linear Notion Poetry Rich Click Requests Black Hypothesis Bun Spark Hugo Gin Echo Fiber Phoenix"
    " Solid Ember Excel Word Oracle Snowflake Claude Teams Gmail Outlook Ninja Edge Brave Opera Meta Apple"
    " Google Microsoft Amazon Nvidia".split()
)
"""Technologies and firms whose names are words too: only capitalised, and not where a sentence begins."""


def _table(lines: str) -> dict[str, str]:
    """Folded spelling → the spelling to show; ``a=b=C`` lists other spellings before it."""
    out: dict[str, str] = {}
    for entry in (e.strip() for e in lines.replace("\n", ",").split(",")):
        if entry:
            *others, shown = entry.split("=")
            own = () if shown in CASED_TECHNOLOGIES else (shown.casefold(),)
            out.update(dict.fromkeys((*others, *own), shown))
    return out


TECHNOLOGIES: Final = _table("""
postgres=postgresql=psql=PostgreSQL, mysql=MySQL, mariadb=MariaDB, sqlite=sqlite3=SQLite,
mongo=MongoDB, Redis, memcached=Memcached, cassandra=Cassandra, dynamodb=DynamoDB,
elasticsearch=Elasticsearch, opensearch=OpenSearch, neo4j=Neo4j, kuzu=Kuzu, ladybug=LadybugDB,
duckdb=DuckDB, clickhouse=ClickHouse, bigquery=BigQuery, snowflake=Snowflake, supabase=Supabase,
firebase=Firebase, firestore=Firestore, eventstoredb=eventstore=EventStoreDB,
kurrentdb=kurrent=KurrentDB, kafka=Kafka, rabbitmq=RabbitMQ, nats=NATS, influxdb=InfluxDB,
timescaledb=TimescaleDB, pinecone=Pinecone, qdrant=Qdrant, weaviate=Weaviate, chromadb=ChromaDB,
pgvector=pgvector, prisma=Prisma, drizzle=Drizzle, sqlalchemy=SQLAlchemy, alembic=Alembic,
typeorm=TypeORM, sequelize=Sequelize, hibernate=Hibernate, docker=Docker, podman=Podman,
docker compose=Docker Compose, kubernetes=k8s=Kubernetes, kubectl=kubectl, terraform=Terraform,
ansible=Ansible, vagrant=Vagrant, nginx=nginx, traefik=Traefik, haproxy=HAProxy, caddy=Caddy,
gunicorn=Gunicorn, uvicorn=Uvicorn, systemd=systemd, cron=cron, grafana=Grafana, prometheus=Prometheus,
opentelemetry=OpenTelemetry, sentry=Sentry, datadog=Datadog, kibana=Kibana, jenkins=Jenkins,
github=GitHub, gitlab=GitLab, bitbucket=Bitbucket, github actions=GitHub Actions,
github cli=GitHub CLI, gitlab ci=GitLab CI, circleci=CircleCI, git=Git, aws=AWS, azure=Azure, gcp=GCP,
google cloud=Google Cloud, heroku=Heroku, netlify=Netlify, vercel=Vercel, cloudflare=Cloudflare,
digitalocean=DigitalOcean, fly.io=Fly.io, hetzner=Hetzner, s3=S3, ec2=EC2, lambda=AWS Lambda,
stripe=Stripe, twilio=Twilio, sendgrid=SendGrid, auth0=Auth0, keycloak=Keycloak, okta=Okta,
oauth=OAuth, openai=OpenAI, anthropic=Anthropic, claude code=Claude Code, chatgpt=ChatGPT,
ollama=Ollama, vllm=vLLM, langchain=LangChain, llamaindex=LlamaIndex, graphiti=Graphiti,
huggingface=hugging face=Hugging Face, pytorch=PyTorch, tensorflow=TensorFlow, keras=Keras,
scikit-learn=sklearn=scikit-learn, numpy=NumPy, pandas=pandas, polars=Polars, scipy=SciPy,
matplotlib=Matplotlib, jupyter=Jupyter, networkx=NetworkX, spacy=spaCy, nltk=NLTK,
sentence-transformers=sentence-transformers, python=Python, cpython=CPython, javascript=JavaScript,
typescript=TypeScript, golang=Go, rustc=Rust, kotlin=Kotlin, scala=Scala, haskell=Haskell,
elixir=Elixir, erlang=Erlang, clojure=Clojure, php=PHP, perl=Perl, c++=C++, c#=C#, .net=.NET,
java=Java, fortran=Fortran, cobol=COBOL, bash=Bash, zsh=zsh, powershell=PowerShell, tmux=tmux,
django=Django, flask=Flask, fastapi=FastAPI, starlette=Starlette, pydantic=Pydantic, celery=Celery,
typer=Typer, pytest=pytest, unittest=unittest, mypy=mypy, pyright=Pyright, ruff=Ruff, flake8=Flake8,
pylint=Pylint, pip=pip, pipenv=Pipenv, conda=conda, miniconda=Miniconda, anaconda=Anaconda,
virtualenv=virtualenv, pyenv=pyenv, setuptools=setuptools, pypi=PyPI, npm=npm, npx=npx, pnpm=pnpm,
yarn=Yarn, nodejs=node.js=Node.js, deno=Deno, next.js=nextjs=Next.js, nuxt=Nuxt, vue.js=vuejs=vue=Vue,
svelte=Svelte, sveltekit=SvelteKit, angular=Angular, react.js=reactjs=React, react native=React Native,
redux=Redux, zustand=Zustand, vite=Vite, webpack=webpack, rollup=Rollup, esbuild=esbuild, babel=Babel,
eslint=ESLint, biome=Biome, prettier=Prettier, jest=Jest, vitest=Vitest, playwright=Playwright,
cypress=Cypress, selenium=Selenium, puppeteer=Puppeteer, tailwind=tailwindcss=Tailwind CSS,
tailwind css=Tailwind CSS, bootstrap=Bootstrap, shadcn=shadcn/ui, shadcn/ui=shadcn/ui, graphql=GraphQL,
grpc=gRPC, trpc=tRPC, websocket=websockets=WebSocket, mqtt=MQTT, protobuf=Protobuf, nestjs=NestJS,
express.js=Express, rails=Rails, laravel=Laravel, symfony=Symfony, spring boot=Spring Boot,
gradle=Gradle, maven=Maven, cmake=CMake, homebrew=Homebrew, ubuntu=Ubuntu, debian=Debian,
fedora=Fedora, macos=macOS, ios=iOS, android=Android, linux=Linux, windows=Windows, wsl=WSL,
raspberry pi=Raspberry Pi, esp32=ESP32, arduino=Arduino, home assistant=Home Assistant,
vscode=vs code=VS Code, neovim=Neovim, emacs=Emacs, intellij=IntelliJ, pycharm=PyCharm, xcode=Xcode,
figma=Figma, jira=Jira, trello=Trello, slack=Slack, telegram=Telegram, whatsapp=WhatsApp,
discord=Discord, airflow=Airflow, dbt=dbt, hadoop=Hadoop, tableau=Tableau, power bi=Power BI,
google sheets=Google Sheets, google drive=Google Drive, wordpress=WordPress, shopify=Shopify,
jekyll=Jekyll, sphinx=Sphinx, mkdocs=MkDocs, dependabot=Dependabot, renovate=Renovate,
sonarqube=SonarQube, pydub=pydub, axios=axios, lodash=Lodash, dayjs=Day.js, pinia=Pinia, valkey=Valkey,
meilisearch=Meilisearch, typesense=Typesense, dramatiq=Dramatiq, ffmpeg=FFmpeg, opencv=OpenCV,
htmx=htmx, alpine.js=Alpine.js, electron=Electron, tauri=Tauri, flutter=Flutter, swiftui=SwiftUI,
socket.io=Socket.IO, chrome=Chrome, firefox=Firefox, safari=Safari, mermaid=Mermaid,
excalidraw=Excalidraw, elevenlabs=ElevenLabs, groq=Groq, gemini=Gemini, salesforce=Salesforce,
inngest=Inngest, streamlit=Streamlit, plotly=Plotly, langgraph=LangGraph, n8n=n8n, zapier=Zapier,
codemirror=CodeMirror, proxmox=Proxmox, truenas=TrueNAS, jellyfin=Jellyfin, tailscale=Tailscale,
wireguard=WireGuard, cloudfront=CloudFront, postman=Postman, swagger=Swagger, openapi=OpenAPI,
storybook=Storybook, three.js=Three.js, d3.js=D3.js, mapbox=Mapbox, woocommerce=WooCommerce,
magento=Magento, hubspot=HubSpot, airtable=Airtable, metabase=Metabase, mlflow=MLflow, dagster=Dagster,
hasura=Hasura, strapi=Strapi, contentful=Contentful, turborepo=Turborepo, appwrite=Appwrite,
pocketbase=PocketBase, gitleaks=Gitleaks, trivy=Trivy, snyk=Snyk, obsidian=Obsidian
""")
"""Widely known technologies, however they are written in small or large letters."""

COMMANDS: Final = frozenset(
    "git gh npm npx pnpm yarn bun deno node pip pip3 pipx uv poetry conda python python3 pytest ruff mypy"
    " docker podman kubectl helm terraform ansible make cmake cargo rustc go java mvn gradle brew apt apt-"
    " get systemctl ssh scp rsync curl wget psql mysql sqlite3 redis-cli aws gcloud az vercel netlify"
    " heroku fly tsc eslint prettier jest vitest vite webpack playwright alembic django-admin flask"
    " uvicorn gunicorn celery tmux nvim vim".split()
)
"""First words of a command line that are a program by themselves."""

SHELL: Final = frozenset(
    "cd ls cat echo rm cp mv mkdir touch grep sed awk find sudo export source head tail less more chmod"
    " chown kill ps top which env set unset test exit true false pwd man wc sort uniq xargs tee date time"
    " sleep".split()
)
"""Programs that are everywhere: nobody would look one up."""

KEYWORDS: Final = frozenset(
    "return if else elif for while def class func function const let var import from export async await"
    " try catch except raise throw new public private static void int str string bool boolean float double"
    " char null nil none undefined true false self this super yield lambda pass break continue switch case"
    " default with as in is not and or type interface enum struct impl fn pub use mod select insert update"
    " delete where any object dict list tuple set array map number err error ok args kwargs todo fixme"
    " main master head origin base id ids uuid".split()
)

EXTENSIONS: Final = frozenset(
    "py pyi ipynb js jsx mjs cjs ts tsx vue svelte go rs java kt kts scala rb php pl lua c h cc cpp hpp"
    " cs fs swift m mm dart ex exs erl hs clj sh bash zsh fish ps1 bat sql md mdx rst txt adoc tex pdf"
    " html htm css scss sass less json jsonl json5 yaml yml toml ini cfg conf env xml csv tsv parquet lock"
    " log proto graphql tf hcl dockerfile gradle cmake mk patch diff png jpg jpeg gif svg webp ico mp3 mp4"
    " wav zip tar gz tgz db sqlite docx xlsx pptx service timer plist gitignore dockerignore"
    " editorconfig".split()
)

GENERIC_FILES: Final = frozenset(
    "index main app mod lib init __init__ __main__ conftest config settings setup utils util helpers"
    " types constants models views urls page layout route routes readme claude agents changelog"
    " contributing license package package-lock tsconfig pyproject requirements dockerfile makefile"
    " compose docker-compose test tests server client api cli errors schema styles globals memory todo"
    " notes".split()
)
"""Stems that many directories have: such a file is told by the directory above it."""

GENERIC_DIRECTORIES: Final = frozenset(
    "home users root tmp temp var usr opt src lib libs app apps bin build dist docs test tests code dev"
    " work projects project repo repos workspace documents desktop downloads cli api web server client"
    " backend frontend main demo scripts tools packages examples sandbox private mnt volumes user"
    " admin".split()
)

ACRONYMS: Final = frozenset(
    "api apis cli ui ux gui url urls uri http https html css sql csv json jsonl yaml xml toml pdf png jpg"
    " svg id ids uuid ok okay todo todos fixme readme pr prs mr ci cd cicd os cpu gpu ram ssd ai ia ml llm"
    " llms nlp crud rest rpc sdk ide tcp udp ip dns ssl tls ssh ftp sftp jwt orm mvp poc qa eta faq asap"
    " fyi tbd tba wip lgtm imo btw utf ascii utc gmt eur usd brl kb mb gb tb ms io stdin stdout stderr db"
    " dbs vm vms env http2 ascii usa uk eu pt en br am pm dom dev prod stg hr it vs etc eg ie ps nb get"
    " post put delete patch head options and or not is system user error warning warn info debug note"
    " important caution tip never always must".split()
)
"""Capital letters that name a kind, not a thing."""

ACKNOWLEDGEMENTS: Final = frozenset(
    "ok okay yes no yep nope sure certo certa claro sim nao perfect perfeito perfeita great otimo otima"
    " excelente excellent understood entendido percebido done feito feita thanks thank obrigado obrigada"
    " boa bom good nice right exactly exato exatamente agreed concordo combinado valeu cool awesome"
    " absolutely indeed ah oh hmm hi hello hey ola oi bom-dia please go continue continua segue avanca"
    " alright fine parfait wow brilliant fixe show".split()
)

SPEAKERS: Final = frozenset(
    "claude assistant user operator operador usuario utilizador i you we me us eu tu nos voce voces human"
    " agent agente assistente".split()
)
"""Who speaks here is no thing spoken of, and would be a hub of everything."""

CALENDAR: Final = frozenset(
    "january february march april may june july august september october november december jan feb mar"
    " apr jun jul aug sep sept oct nov dec monday tuesday wednesday thursday friday saturday sunday mon"
    " tue wed thu fri sat sun janeiro fevereiro marco abril maio junho julho agosto setembro outubro"
    " novembro dezembro segunda terca quarta quinta sexta sabado domingo english portuguese ingles"
    " portugues spanish french german espanhol europe brazil brasil portugal christmas natal today"
    " tomorrow hoje amanha".split()
)

FIRST_NAMES: Final = frozenset(
    "ana maria joao jose pedro paulo rita rui tiago miguel sofia ines marta carlos luis bruno catarina"
    " beatriz helena teresa fernando andre filipe diogo duarte nuno jorge manuel antonio francisco ricardo"
    " rafael gabriel lucas mateus juliana fernanda camila larissa leticia mariana patricia claudia monica"
    " sara raquel vera isabel alice daniel david john mary james robert michael william richard thomas"
    " emma olivia sophia emily sarah anna laura peter paul mark steve susan karen kevin brian eric adam"
    " alex sam tom bob jane kate lucy jack harry oliver charlie ben chris matt nick rachel hannah grace"
    " julia martin hugo vasco afonso tomas joana carla sandra cristina rodrigo gustavo guilherme leonardo"
    " marcelo roberto renato".split()
)

PERSON_VERBS: Final = frozenset(
    "prefers says said wants asked asks thinks works worked owns maintains reported told confirmed wrote"
    " decided likes will has had is was prefere diz disse quer pediu acha trabalha mantem trata decidiu"
    " escreveu confirmou gosta vai tem foi ja migrou fez falou mandou avisou".split()
)
"""What follows a first name that begins a sentence."""

_COMMON_EN: Final = frozenset(
    "the a an this that these those it its he she they we i you my our your their his her there here"
    " where when while what which who why how if then else so but and or not no nor yet for from to in on"
    " at by with without of off up down out over under into onto as is are was were be been being am do"
    " does did done has have had having can could will would shall should may might must let lets now just"
    " also only even still already again once both each every all any some none most more less few many"
    " much other another same such own than too very please maybe perhaps however therefore otherwise"
    " instead finally first second third next last after before during since until because although though"
    " whether either neither new old good bad best better worse big small high low long short full empty"
    " true false one two three four five six seven eight nine ten add added adding adds change changed"
    " changes changing check checked checks checking clean create created creates creating delete deleted"
    " remove removed removes fix fixed fixes update updated updates updating use used uses using run"
    " running runs ran test tests tested testing make makes made build built builds look looks looking"
    " looked read reads reading write writes writing wrote written find finds found get gets got give"
    " given go goes went gone see seen show shows shown start started starts stop stopped stops set sets"
    " setting move moved moves keep keeps kept put ask asked tell told call called calls try tried tries"
    " work works working worked need needs needed want wants wanted open opened close closed send sends"
    " sent save saved load loads loaded push pushed pull pulled merge merged commit commits committed"
    " install installed deploy deployed implement implemented handle handles support supports replace"
    " replaced rename renamed refactor refactored review verify verified ensure based file files folder"
    " directory code function functions class method methods module package library project app"
    " application program server client database data table query schema model service page button form"
    " list item items name names type types value values key keys key-value error errors issue issues bug"
    " bugs problem warning log logs line lines text word words string number user users session sessions"
    " message messages request response result results output input option options feature features"
    " version release branch branches repository repo environment config configuration settings default"
    " summary overview usage notes example examples step steps task tasks plan goal todo status ready"
    " complete completed successfully important custom main local remote public private simple real whole"
    " part parts section chapter title description details note tip question answer thing things way time"
    " day week month year today yesterday tomorrow morning night left right top bottom side end point case"
    " cases kind sort state states system systems tool tools agent agents command commands script scripts"
    " hook hooks prompt prompts token tokens limit limits rule rules report reports document documents"
    " documentation comment comments reviews everything nothing something anything someone everyone people"
    " perfect understood great cover covers include includes including provide provides extract extracts"
    " select click press enter return returns print prints failed fails fail passed pass passes skip"
    " skipped pending current currently previous following above below attempt attempts switch switching"
    " sounds think know said say says mean means seems like liked love hope wait waiting waits sorry"
    " thanks welcome good-bye base notify upload download catalog cache queue job jobs worker workers"
    " batch retry retries timeout timeouts network disk memory host port path paths link links image"
    " images icon color style styles layout header footer menu view views".split()
)

_COMMON_PT: Final = frozenset(
    "o os as um uma uns umas este esta estes estas esse essa isso isto aquele aquela aquilo ele ela eles"
    " elas nos eu tu voce voces meu minha teu tua seu sua nosso nossa onde quando como que qual quais quem"
    " porque se entao mas e ou nem ainda ja agora so tambem apenas sempre nunca depois antes durante desde"
    " ate sobre sob entre contra sem com por para em no na nas num numa de do da dos das ao aos pelo pela"
    " pelos pelas ser sou somos sao foi foram era eram estar estou estamos estao estava tem temos tenho"
    " tinha ter ha havia vai vamos vou ir pode podes podemos podia deve devemos fazer faz fiz fizemos"
    " feito feita dizer diz disse ver vi viu vimos quero queres queremos preciso precisa precisamos"
    " gostava prefiro acho parece talvez melhor pior bom boa mau novo nova velho grande pequeno todo toda"
    " todos todas cada outro outra outros outras mesmo mesma muito muita muitos muitas pouco pouca mais"
    " menos primeiro primeira segundo segunda ultimo ultima proximo proxima dois duas tres quatro cinco"
    " seis sete oito nove dez cria criei criar criado criada adiciona adicionei adicionar corrige corrigi"
    " corrigir corrigido altera alterei alterar muda mudei mudar mudamos remove removi remover usa usar"
    " uso usamos usei utiliza utilizar corre correr corri testa testar testes teste passa passam passar"
    " passei executa executei executar instala instalar instalei atualiza atualizei atualizar actualiza"
    " actualizei verifica verifiquei verificar revisa revi rever escreve escrevi escrever le ler li abre"
    " abri abrir fecha fechei fechar envia enviar enviei guarda guardar guardei poe pus mete meter faz-me"
    " mostra mostrar mostrei procura procurar encontrei encontrar explica explicar move mover movi migra"
    " migrar migrei migramos troca trocar troquei trocamos substitui substituir anota anotado nota regra"
    " plano ideia ficheiro ficheiros arquivo arquivos pasta pastas codigo funcao funcoes classe metodo"
    " modulo pacote biblioteca projeto projecto aplicacao programa servidor cliente base dados tabela"
    " consulta esquema modelo servico pagina botao lista nome nomes tipo valor valores chave chaves erro"
    " erros problema aviso linha linhas texto palavra mensagem pedido resposta resultado saida entrada"
    " opcao versao ramo repositorio ambiente configuracao resumo exemplo passo tarefa estado sistema"
    " ferramenta comando relatorio documento documentacao comentario pergunta coisa vez tempo dia semana"
    " mes ano hoje ontem amanha parte caso lado fim ponto certo perfeito obrigado obrigada entendido"
    " portanto assim alem enquanto embora contudo porem todavia logo pois afinal enfim basicamente"
    " primeiramente decidi decidimos escolhi escolhemos ficamos ficou fica continua segue olha repara"
    " lembra lembro esqueci falta faltam existe existem acontece aconteceu funciona funcionou falha falhou"
    " falham depende deixa deixei deixou deixamos tenta tentei tentar".split()
)

COMMON: Final = _COMMON_EN | _COMMON_PT
"""Words that name nothing by themselves, capitalised or not."""

VERB_ENDINGS: Final = (
    "ing",
    "ed",
    "ando",
    "endo",
    "indo",
    "amos",
    "emos",
    "imos",
    "aram",
    "eram",
    "mente",
    "ly",
)
"""Endings of what opens a sentence and is no name, where tables end."""
