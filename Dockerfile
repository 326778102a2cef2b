# edge, for a worker beside a log on EventStoreDB; see compose.yaml.
FROM python:3.12-slim

WORKDIR /src
COPY pyproject.toml README.md LICENSE ./
COPY edge edge
COPY projections projections
COPY adapters adapters
RUN pip install --no-cache-dir . && rm -rf /src

# Not root; its home is a volume, which takes its owner from here.
RUN useradd --create-home edge && install -d -o edge -g edge -m 700 /home/edge/home
USER edge
WORKDIR /home/edge
ENV EDGE_HOME=/home/edge/home
CMD ["edge", "--help"]
