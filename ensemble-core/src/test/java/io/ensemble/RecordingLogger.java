package io.ensemble;

import java.util.List;
import org.slf4j.Marker;
import org.slf4j.event.Level;
import org.slf4j.helpers.LegacyAbstractLogger;
import org.slf4j.helpers.MessageFormatter;

/** Notes what is logged, of every level: its level, and its message with the arguments in it. */
public final class RecordingLogger extends LegacyAbstractLogger {

  private static final long serialVersionUID = 1L;

  private final transient List<String> lines;

  /** Notes in {@code lines}. */
  public RecordingLogger(List<String> lines) {
    this.lines = lines;
  }

  @Override
  public boolean isTraceEnabled() {
    return true;
  }

  @Override
  public boolean isDebugEnabled() {
    return true;
  }

  @Override
  public boolean isInfoEnabled() {
    return true;
  }

  @Override
  public boolean isWarnEnabled() {
    return true;
  }

  @Override
  public boolean isErrorEnabled() {
    return true;
  }

  @Override
  protected String getFullyQualifiedCallerName() {
    return "";
  }

  @Override
  protected void handleNormalizedLoggingCall(
      Level level, Marker marker, String message, Object[] arguments, Throwable thrown) {
    lines.add(level + " " + MessageFormatter.basicArrayFormat(message, arguments));
  }
}
