package io.ensemble;

import java.util.List;

/**
 * The values of a key that nobody has overwritten, as one site shows them.
 *
 * @param values each once, the last written first; empty for a key that is absent, one where all
 *     writers knew of each other
 * @param context what a write takes the place of that is made with it: these values, and all that
 *     they took the place of
 */
public record SiblingValues<V>(List<V> values, CausalContext context) {

  public SiblingValues {
    values = List.copyOf(values);
  }
}
