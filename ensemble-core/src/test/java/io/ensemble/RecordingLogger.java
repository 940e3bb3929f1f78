package io.ensemble;

import java.util.List;
import org.slf4j.Marker;
import org.slf4j.event.Level;
import org.slf4j.helpers.LegacyAbstractLogger;
import org.slf4j.helpers.MessageFormatter;

/** Records what is logged, at every level: the level, and the message with its arguments. */
public final class RecordingLogger extends LegacyAbstractLogger {

  private static final long serialVersionUID = 1L;

  private final transient List<String> lines;

  /** Records into {@code lines}. */
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
