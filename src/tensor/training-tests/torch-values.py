"""Writes torch-values.json: what PyTorch (CPU) gives for the cases of the tests beside this file.

    python torch-values.py > torch-values.json
"""

import json

import torch
from torch import nn
from torch.optim import lr_scheduler
from torch.utils.data import DataLoader, TensorDataset, random_split


def some(tensor, count=6):
    """Few elements and the sum say enough of a tensor."""
    flat = tensor.detach().flatten().double()
    return {
        "shape": list(tensor.shape),
        "first": [float(f"{x:.9g}") for x in flat[:count].tolist()],
        "last": [float(f"{x:.9g}") for x in flat[-2:].tolist()],
        "sum": float(f"{flat.sum().item():.9g}"),
    }


MODULES = {
    "linear": lambda: nn.Linear(7, 5),
    "linear without bias": lambda: nn.Linear(40, 3, bias=False),
    "linear float64": lambda: nn.Linear(7, 5, dtype=torch.float64),
    "bilinear": lambda: nn.Bilinear(3, 4, 5),
    "embedding": lambda: nn.Embedding(11, 6, padding_idx=2),
    "conv1d": lambda: nn.Conv1d(4, 6, 3),
    "conv2d": lambda: nn.Conv2d(4, 6, (3, 5), stride=2, padding=1, groups=2),
    "conv3d": lambda: nn.Conv3d(2, 3, 2),
    "conv transposed": lambda: nn.ConvTranspose2d(4, 6, 3, stride=2, output_padding=1, groups=2),
    "batch norm": lambda: nn.BatchNorm2d(5),
    "layer norm": lambda: nn.LayerNorm([3, 4]),
    "group norm": lambda: nn.GroupNorm(2, 6),
    "rms norm": lambda: nn.RMSNorm([3, 4]),
    "rnn": lambda: nn.RNN(3, 4, num_layers=2, nonlinearity="relu"),
    "lstm": lambda: nn.LSTM(3, 4, num_layers=2, batch_first=True, bidirectional=True),
    "gru": lambda: nn.GRU(3, 4),
    "attention": lambda: nn.MultiheadAttention(8, 2, batch_first=True),
    "encoder layer": lambda: nn.TransformerEncoderLayer(8, 2, dim_feedforward=12, dropout=0.0, batch_first=True),
    "sequential": lambda: nn.Sequential(nn.Linear(4, 3), nn.ReLU(), nn.Dropout(0.2), nn.Linear(3, 2)),
}


def modules():
    result = {}
    for name, make in MODULES.items():
        torch.manual_seed(42)
        module = make()
        result[name] = {
            "text": str(module),
            "state": {key: some(value) for key, value in module.state_dict().items()},
        }
    return result


def grid(*shape):
    count = 1
    for size in shape:
        count *= size
    return (torch.arange(count, dtype=torch.float32) * 0.37).sin().reshape(shape)


INPUTS = {
    "linear": [(2, 7)],
    "bilinear": [(2, 3), (2, 4)],
    "conv1d": [(2, 4, 8)],
    "conv2d": [(2, 4, 8, 9)],
    "conv3d": [(1, 2, 4, 4, 4)],
    "conv transposed": [(2, 4, 3, 4)],
    "batch norm": [(3, 5, 2, 2)],
    "layer norm": [(2, 3, 4)],
    "group norm": [(2, 6, 3)],
    "rms norm": [(2, 3, 4)],
    "rnn": [(5, 2, 3)],
    "lstm": [(2, 5, 3)],
    "gru": [(5, 2, 3)],
    "attention": [(2, 5, 8), (2, 5, 8), (2, 5, 8)],
    "encoder layer": [(2, 5, 8)],
}


def forwards():
    """Outputs, and gradients of the sum of their cubes."""
    result = {}
    for name, shapes in INPUTS.items():
        torch.manual_seed(42)
        module = MODULES[name]()
        inputs = [grid(*shape).requires_grad_() for shape in shapes]
        output = module(*inputs)
        first = output[0] if isinstance(output, tuple) else output
        (first**3).sum().backward()
        result[name] = {
            "shapes": shapes,
            "output": some(first),
            "input": some(inputs[0].grad),
            "gradients": {key: some(value.grad) for key, value in module.named_parameters()},
            "buffers": {key: some(value) for key, value in module.named_buffers()},
        }
    return result


OPTIMIZERS = {
    "sgd": (torch.optim.SGD, dict(lr=0.1)),
    "sgd momentum": (torch.optim.SGD, dict(lr=0.05, momentum=0.9, weight_decay=0.01)),
    "sgd dampening": (torch.optim.SGD, dict(lr=0.05, momentum=0.9, dampening=0.3, maximize=True)),
    "sgd nesterov": (torch.optim.SGD, dict(lr=0.05, momentum=0.9, nesterov=True, weight_decay=0.01)),
    "adam": (torch.optim.Adam, dict(lr=0.02)),
    "adam decay": (torch.optim.Adam, dict(lr=0.02, betas=(0.8, 0.9), weight_decay=0.1, amsgrad=True)),
    "adamw": (torch.optim.AdamW, dict(lr=0.02, weight_decay=0.1)),
    "adamw amsgrad": (torch.optim.AdamW, dict(lr=0.02, amsgrad=True, maximize=True)),
    "rmsprop": (torch.optim.RMSprop, dict(lr=0.01)),
    "rmsprop centered": (torch.optim.RMSprop, dict(lr=0.01, momentum=0.8, centered=True, weight_decay=0.1)),
    "adagrad": (torch.optim.Adagrad, dict(lr=0.05)),
    "adagrad decay": (
        torch.optim.Adagrad,
        dict(lr=0.05, lr_decay=0.1, weight_decay=0.1, initial_accumulator_value=0.2),
    ),
}


def network():
    torch.manual_seed(7)
    return nn.Sequential(nn.Linear(4, 6), nn.Tanh(), nn.Linear(6, 1))


def loss_of(model, step):
    x = grid(8, 4) + 0.1 * step
    return ((model(x) - x.sum(1, keepdim=True).sin()) ** 2).mean()


def trajectories():
    result = {}
    for name, (make, options) in OPTIMIZERS.items():
        model = network()
        optimizer = make(model.parameters(), **options)
        losses = []
        for step in range(20):
            optimizer.zero_grad()
            loss = loss_of(model, step % 3)
            loss.backward()
            optimizer.step()
            losses.append(float(f"{loss.item():.9g}"))
        state = optimizer.state_dict()["state"]
        result[name] = {
            "losses": losses,
            "weights": {key: some(value) for key, value in model.state_dict().items()},
            "state": {
                key: some(value)
                for key, value in state.get(0, {}).items()
                if isinstance(value, torch.Tensor) and value.dim() > 0
            },
        }
    return result


SCHEDULES = {
    "step": lambda o: lr_scheduler.StepLR(o, 5, 0.5),
    "milestones": lambda o: lr_scheduler.MultiStepLR(o, [3, 8, 9], 0.3),
    "exponential": lambda o: lr_scheduler.ExponentialLR(o, 0.9),
    "lambda": lambda o: lr_scheduler.LambdaLR(o, lambda epoch: 1 / (1 + epoch)),
    "linear": lambda o: lr_scheduler.LinearLR(o, 0.1, 1.0, 6),
    "cosine": lambda o: lr_scheduler.CosineAnnealingLR(o, 12, 0.01),
    "one cycle": lambda o: lr_scheduler.OneCycleLR(o, 1.0, total_steps=20),
    "one cycle linear": lambda o: lr_scheduler.OneCycleLR(
        o, 1.0, total_steps=20, anneal_strategy="linear", three_phase=True, pct_start=0.25
    ),
    "warm-up": lambda o: lr_scheduler.SequentialLR(
        o, [lr_scheduler.LinearLR(o, 0.1, 1.0, 4), lr_scheduler.CosineAnnealingLR(o, 10)], [4]
    ),
}


def schedules():
    result = {}
    for name, make in SCHEDULES.items():
        parameter = nn.Parameter(torch.zeros(1))
        optimizer = torch.optim.SGD([parameter], lr=0.2, momentum=0.9)
        scheduler = make(optimizer)
        rates, momenta = [], []
        for _ in range(15):
            rates.append(optimizer.param_groups[0]["lr"])
            momenta.append(optimizer.param_groups[0]["momentum"])
            optimizer.step()
            scheduler.step()
        result[name] = {"rates": rates, "momenta": momenta}
    parameter = nn.Parameter(torch.zeros(1))
    optimizer = torch.optim.SGD([parameter], lr=0.2)
    scheduler = lr_scheduler.ReduceLROnPlateau(optimizer, factor=0.5, patience=2, cooldown=1)
    metrics = [1, 0.9, 0.95, 0.93, 0.92, 0.91, 0.91, 0.9, 0.91, 0.92, 0.93, 0.2, 0.3, 0.3, 0.3, 0.3, 0.3]
    rates = []
    for metric in metrics:
        scheduler.step(metric)
        rates.append(optimizer.param_groups[0]["lr"])
    result["plateau"] = {"metrics": metrics, "rates": rates}
    return result


def data():
    torch.manual_seed(5)
    dataset = TensorDataset(torch.arange(10), torch.arange(10) * 2)
    loader = DataLoader(dataset, batch_size=3, shuffle=True)
    epochs = [[x.tolist() for x, _ in loader] for _ in range(2)]
    parts = random_split(dataset, [6, 4])
    after = torch.rand(2).tolist()
    return {"epochs": epochs, "parts": [list(part.indices) for part in parts], "after": after}


def clipping():
    model = network()
    loss_of(model, 0).backward()
    norm = nn.utils.clip_grad_norm_(model.parameters(), 0.5)
    return {"norm": norm.item(), "gradients": {key: some(value.grad) for key, value in model.named_parameters()}}


def inits():
    result = {}
    for name, options in [
        ("xavier_uniform_", {}),
        ("xavier_normal_", dict(gain=2.0)),
        ("kaiming_uniform_", dict(nonlinearity="relu", mode="fan_out")),
        ("kaiming_normal_", dict(a=0.2)),
        ("uniform_", dict(a=-2.0, b=3.0)),
        ("normal_", dict(mean=1.0, std=0.5)),
        ("trunc_normal_", dict(std=0.5, a=-0.6, b=0.4)),
    ]:
        torch.manual_seed(3)
        result[name] = some(getattr(nn.init, name)(torch.empty(5, 7), **options))
    return result


print(
    json.dumps(
        {
            "modules": modules(),
            "forwards": forwards(),
            "trajectories": trajectories(),
            "schedules": schedules(),
            "data": data(),
            "clipping": clipping(),
            "inits": inits(),
        },
        separators=(",", ":"),
    )
)
