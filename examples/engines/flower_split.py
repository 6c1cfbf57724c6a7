"""A split network between a server with labels and two clients of Flower, recorded. Runs in an environment of its own.

SEEPAGE_TOLD=FOLDER python examples/engines/flower_split.py

As in Flower's own vertical example, all rows are one batch, whose numbers nobody sends. SEEPAGE_ROWS and
SEEPAGE_ROUNDS make it smaller; with SEEPAGE_CLIENT=FOLDER the
first client records what crosses at its end as well.
"""

# mypy: disable-error-code="untyped-decorator, no-untyped-call, no-untyped-def"
import os
from typing import Any

import numpy as np
import torch
from flwr.app import Array, ArrayRecord, ConfigRecord, Message, RecordDict
from flwr.clientapp import ClientApp
from flwr.serverapp import ServerApp
from flwr.simulation import run_simulation
from sklearn.datasets import load_breast_cancer
from torch import nn

from seepage.recorders.flower import ClientRecorder, GridRecorder

ROWS, ROUNDS = (int(os.environ.get(name, usual)) for name, usual in (("SEEPAGE_ROWS", 569), ("SEEPAGE_ROUNDS", 60)))
TRAIN = ROWS * 4 // 5
PARTIES = ("bank", "shop", "lab")


def place(context: Any) -> int:
    """Return which of the clients this is."""
    return int(context.node_config["partition-id"])


def listen(message: Any, context: Any, ask: Any) -> Any:
    """Let the first client record what crosses at its own end, where somebody asks for it."""
    own = os.environ.get("SEEPAGE_CLIENT")
    if own is None or place(context) != 0:
        return ask(message, context)
    heard = ClientRecorder(folder=own, party="shop", parties=PARTIES, active="bank", classes=2)
    return heard(message, context, ask)


client = ClientApp(mods=[listen])
server = ServerApp()


def own_model(context: Any, message: Any) -> tuple[nn.Module, torch.Tensor]:
    """Return a client's model as it was left, and the rows that it is asked about."""
    torch.manual_seed(place(context))
    net = nn.Sequential(nn.Linear(15, 8), nn.ReLU(), nn.Linear(8, 8))
    if "model" in context.state:
        net.load_state_dict(context.state["model"].to_torch_state_dict())
    values, _ = load_breast_cancer(return_X_y=True)
    columns = torch.tensor((values - values.mean(axis=0)) / values.std(axis=0)).float()
    half = slice(15 * place(context), 15 * place(context) + 15)
    return net, columns[: int(message.content["config"]["rows"]), half]


@client.query("generate_embeddings")
def sent(message: Any, context: Any) -> Any:
    """At a client: send embeddings."""
    net, columns = own_model(context, message)
    arrays = ArrayRecord({"embedding": Array(net(columns).detach().numpy())})
    content = RecordDict({"arrays": arrays, "config": ConfigRecord({"pos": place(context)})})
    return Message(content, reply_to=message)


@client.train("apply_gradients")
def learned(message: Any, context: Any) -> Any:
    """At a client: learn from what came back."""
    net, columns = own_model(context, message)
    net(columns).backward(torch.from_numpy(message.content["gradients"]["local-gradients"].numpy().copy()))
    with torch.no_grad():
        for weights in net.parameters():
            assert weights.grad is not None
            weights.sub_(0.5 * weights.grad)
    context.state["model"] = ArrayRecord(net.state_dict())
    return Message(RecordDict(), reply_to=message)


@server.main()
def main(grid: Any, context: Any) -> None:
    """At the bank: drive the training, and write down what crosses."""
    del context
    torch.manual_seed(9)
    labels = torch.tensor(load_breast_cancer(return_X_y=True)[1])[:ROWS]
    head = nn.Sequential(nn.ReLU(), nn.Linear(16, 2))
    learning = torch.optim.Adam(head.parameters(), lr=1e-2)
    with GridRecorder(grid, os.environ["SEEPAGE_TOLD"], parties=PARTIES, active="bank", classes=2) as record:
        for record.epoch in range(ROUNDS):
            received = {node: torch.from_numpy(values) for node, values in embeddings(grid, TRAIN).values()}
            both = torch.cat(list(received.values()), dim=1).requires_grad_()
            learning.zero_grad()
            nn.functional.cross_entropy(head(both), labels[:TRAIN]).backward()
            learning.step()
            assert both.grad is not None
            for node, gradient in zip(received, both.grad.split(8, dim=1), strict=True):
                told = ArrayRecord({"local-gradients": Array(gradient.numpy())})
                content = RecordDict({"gradients": told, "config": ConfigRecord({"rows": TRAIN})})
                # its reply says nothing: it is waited for, so that a client never forgets a step
                grid.send_and_receive([Message(content, node, "train.apply_gradients")])
        record.epoch = -1  # from here on, predictions
        for party, (_, values) in embeddings(grid, ROWS).items():
            record.answers(PARTIES[1 + party], values, ROUNDS - 1)


def embeddings(grid: Any, rows: int) -> dict[int, tuple[int, np.ndarray[Any, Any]]]:
    """Ask all clients about the first rows; return for each, in their order, where it is and what it sent."""
    config = RecordDict({"config": ConfigRecord({"rows": rows})})
    asked = [Message(config, node, "query.generate_embeddings") for node in grid.get_node_ids()]
    came = {
        int(reply.content["config"]["pos"]): (
            reply.metadata.src_node_id, np.array(reply.content["arrays"]["embedding"].numpy()),
        )
        for reply in grid.send_and_receive(asked)
    }  # fmt: skip
    return dict(sorted(came.items()))


if __name__ == "__main__":
    run_simulation(server, client, num_supernodes=2)
