package io.ensemble.catalog;

import io.ensemble.DistributedDefinition;
import java.util.regex.Pattern;

/**
 * A distributed cache as the catalog has it.
 *
 * @param definition what it is
 * @param birth 16 random hexadecimal digits, drawn at its creation: one that was deleted and
 *     created again is another
 */
public record StoredDistribution(DistributedDefinition definition, String birth) {

  private static final Pattern BIRTH = Pattern.compile("[0-9a-f]{16}");

  public StoredDistribution {
    if (!BIRTH.matcher(birth).matches()) {
      throw new IllegalArgumentException(
          "a birth is 16 hexadecimal digits; cache=%s birth=%s"
              .formatted(definition.name(), birth));
    }
  }
}
