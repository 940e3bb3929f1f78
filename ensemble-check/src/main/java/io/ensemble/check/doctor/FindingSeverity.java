package io.ensemble.check.doctor;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/** How bad a finding is, the least first. */
public enum FindingSeverity {
  /** Checked, and as it should be. */
  OK,
  /** Not known; the finding says why, and how to find out. */
  NOT_CHECKED,
  /** The federation works; something should be done before it stops to. */
  WARNING,
  /** A guarantee, a site or a cache is impaired now. */
  ERROR;

  /** The severity for people, such as {@code not checked}. */
  public String text() {
    return json().replace('_', ' ');
  }

  /** The severity in JSON, such as {@code not_checked}. */
  @JsonValue
  public String json() {
    return name().toLowerCase(Locale.ROOT);
  }
}
