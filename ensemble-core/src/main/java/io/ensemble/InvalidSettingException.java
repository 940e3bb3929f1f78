package io.ensemble;

/** A setting of a cache cannot work, by itself or beside the others. */
public final class InvalidSettingException extends IllegalArgumentException {

  private static final long serialVersionUID = 1L;

  private final String setting;

  InvalidSettingException(String setting, String message) {
    super(message);
    this.setting = setting;
  }

  /** Which one, by its name in {@link CacheDefinition}. */
  public String setting() {
    return setting;
  }
}
