package io.ensemble;

/** A setting of a cache cannot work, by itself or together with the others. */
public final class InvalidSettingException extends IllegalArgumentException {

  private static final long serialVersionUID = 1L;

  private final String setting;

  InvalidSettingException(String setting, String message) {
    super(message);
    this.setting = setting;
  }

  /** The setting's name in {@link CacheDefinition}. */
  public String setting() {
    return setting;
  }
}
