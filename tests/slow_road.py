"""A road between two hosts on which everything takes its time: python slow_road.py FROM TO SECONDS."""

import asyncio
import sys


async def carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, delay: float) -> None:
    """Hand on what comes, each piece as much later as the road is long."""
    loop, due = asyncio.get_running_loop(), asyncio.Queue()

    async def deliver() -> None:
        while (piece := await due.get())[1]:
            await asyncio.sleep(max(0.0, piece[0] - loop.time()))
            writer.write(piece[1])
            await writer.drain()
        writer.close()

    delivering = asyncio.ensure_future(deliver())
    while data := await reader.read(1 << 16):
        due.put_nowait((loop.time() + delay, data))
    due.put_nowait((0.0, b""))
    await delivering


async def main(begin: str, end: str, delay: float) -> None:
    """Listen at one end, and carry everything to the other."""

    async def met(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        host, _, port = end.rpartition(":")
        there, back = await asyncio.open_connection(host, int(port))
        await asyncio.gather(carry(reader, back, delay), carry(there, writer, delay), return_exceptions=True)

    host, _, port = begin.rpartition(":")
    server = await asyncio.start_server(met, host, int(port))
    print("open", flush=True)
    async with server:
        await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], float(sys.argv[3])))
