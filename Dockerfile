# Seepage with PyTorch for the processor alone.
#
#   docker build -t seepage .
#   docker run --rm -v "$PWD:/data" seepage audit people.csv --label y --out audit
#
# PyTorch publishes its builds for processors in an index of its own, which its installation page names:
#   docker build --build-arg TORCH_INDEX=… -t seepage .
# Without it the usual build is taken, which brings several gigabytes of libraries for GPUs.
FROM python:3.11-slim

ARG TORCH_INDEX=""
WORKDIR /opt/seepage
COPY pyproject.toml constraints.txt README.md LICENSE ./
COPY src src
RUN pip install --no-cache-dir ${TORCH_INDEX:+--index-url "$TORCH_INDEX"} torch==2.13.0 \
    && pip install --no-cache-dir --constraint constraints.txt '.[he,hosts]' \
    && useradd --create-home seepage

USER seepage
WORKDIR /data
ENTRYPOINT ["seepage"]
CMD ["audit", "--quick"]
