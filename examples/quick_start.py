"""Play MultiKeyNav's expert and a few untrained agents on 1000 tasks, and print how they did."""

from typing import Any

from rich.console import Console
from rich.table import Table

import taskspace as ts

env = ts.make("MultiKeyNav")
tasks = env.sample_tasks(1000, seed=0)
agents: dict[str, Any] = {"expert": ts.ExpertPolicy(env)}
agents |= {f"untrained {i}": ts.MLPPolicy.random(env, seed=i) for i in range(1, 5)}

outcomes = ts.evaluate(agents, env, tasks, rollouts=100)

table = Table("keys to pick", "tasks", title=f"{env.name}: share of rollouts solved")
for name in agents:
    table.add_column(name, justify="right")
clusters = env.clusters(tasks)
for cluster, keys in enumerate(env.cluster_names):
    members = clusters == cluster
    rates = outcomes.rates[:, members].mean(axis=1)
    table.add_row(keys, str(members.sum()), *(f"{rate:.1%}" for rate in rates))
table.add_section()
table.add_row("all", str(len(tasks)), *(f"{rate:.1%}" for rate in outcomes.rates.mean(axis=1)))
table.add_row("mean length", "", *(f"{n:.1f}" for n in outcomes.mean_lengths.mean(axis=1)))
Console().print(table)
print(outcomes)
