"""`configs/curated.cfg`: the transformer of configs/transformer.cfg through spacy-curated-transformers."""

import json
from importlib.util import find_spec

import pytest
import spacy
from places import ROOT
from spacy.util import load_config, load_model_from_config
from tiny import tiny_corpus, tiny_transformer

CONFIG, OTHER = ROOT / "configs" / "curated.cfg", ROOT / "configs" / "transformer.cfg"


def test_all_but_the_transformer_is_as_in_the_other_config():
    curated, other = (load_config(path, interpolate=False) for path in (CONFIG, OTHER))
    for config in (curated, other):
        del config["components"]["transformer"], config["components"]["ner"]["model"]["tok2vec"]
        config["initialize"].pop("components")
    assert curated == other


@pytest.mark.slow
@pytest.mark.skipif(
    not find_spec("spacy_curated_transformers"), reason="spacy-curated-transformers is no requirement of the project"
)
def test_the_config_is_filled_and_trains(tmp_path):
    config = load_config(CONFIG, interpolate=False)
    filled = load_model_from_config(config, auto_fill=True).config.interpolate()
    for sides in (filled, config := config.interpolate()):  # this package's own blocks keep their defaults
        del sides["components"]["ner"]["scorer"], sides["training"]["logger"]
    assert filled == config
    pytest.importorskip(
        "transformers", reason="spacy-curated-transformers is no requirement, and transformers is missing"
    )
    from spacy.cli.train import train

    tiny_transformer(tmp_path / "weights")
    tiny_corpus(tmp_path / "corpus", 12)
    weights = json.loads((tmp_path / "weights" / "config.json").read_text("utf8"))
    sizes = {"hidden_width": "hidden_size", "intermediate_width": "intermediate_size", "vocab_size": "vocab_size"}
    sizes |= {name: name for name in ("num_attention_heads", "num_hidden_layers")}
    overrides = {f"components.transformer.model.{name}": weights[key] for name, key in sizes.items()}
    overrides |= {f"paths.{split}": str(tmp_path / "corpus" / f"{split}.spacy") for split in ("train", "dev")}
    overrides |= {"paths.transformer": str(tmp_path / "weights")}
    overrides |= {"training.max_steps": 2, "training.eval_frequency": 1}
    train(CONFIG, tmp_path / "trained", overrides=overrides)
    trained = spacy.load(tmp_path / "trained" / "model-last")
    assert trained.pipe_names == ["transformer", "ner"]
    assert 0 <= trained.meta["performance"]["ents_fair_f"] <= 1
