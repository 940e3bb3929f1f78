package io.ensemble.rest.http;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * What a request changes into what, for the audit: the settings that differ. Never contains a
 * secret, nor where a secret is.
 *
 * @param from the former values; a setting that did not exist is missing
 * @param to the new values; a setting that no longer exists is missing
 */
public record SettingsChange(Map<String, Object> from, Map<String, Object> to) {

  /** Ignores the change. */
  public static final Consumer<SettingsChange> UNRECORDED = change -> {};

  private static final int LONGEST_VALUE = 2_000;

  public SettingsChange {
    from = Map.copyOf(from);
    to = Map.copyOf(to);
  }

  /**
   * The settings that differ. A value of more than 2,000 characters is replaced by its length.
   *
   * @param former empty for a thing that is created
   * @param now empty for a thing that is deleted
   */
  public static SettingsChange between(Map<String, Object> former, Map<String, Object> now) {
    return new SettingsChange(differing(former, now), differing(now, former));
  }

  /** Whether nothing differs. */
  public boolean isEmpty() {
    return from.isEmpty() && to.isEmpty();
  }

  private static Map<String, Object> differing(
      Map<String, Object> settings, Map<String, Object> others) {
    Map<String, Object> differing = new LinkedHashMap<>();
    settings.forEach(
        (name, value) -> {
          if (!Objects.equals(value, others.get(name))) {
            int length = value.toString().length();
            differing.put(
                name,
                length > LONGEST_VALUE ? "a value of %d characters".formatted(length) : value);
          }
        });
    return differing;
  }
}
