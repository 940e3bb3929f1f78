package io.ensemble;

import java.util.List;

/**
 * The values of a key that no write has replaced, as one site shows them.
 *
 * @param values each once, the last written first; empty for a key that is absent, one value if all
 *     writers knew of each other
 * @param context for a write that replaces these values and all that they replaced
 */
public record SiblingValues<V>(List<V> values, CausalContext context) {

  public SiblingValues {
    values = List.copyOf(values);
  }
}
