package io.ensemble;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.slf4j.Marker;
import org.slf4j.event.Level;
import org.slf4j.helpers.LegacyAbstractLogger;
import org.slf4j.helpers.MessageFormatter;

class FailingTest {

  private final List<String> lines = new ArrayList<>();
  private final Failing failing = new Failing(new Lines(), "oslo");

  @Test
  void whatFailsAgainAndAgainIsToldOnce() {
    for (int i = 0; i < 5; i++) {
      failing.failed("d2", "mend", new IllegalStateException("again " + i));
    }
    failing.failed("d2", "compare", new IllegalStateException("another step"));
    failing.failed("d2", "mend", new IllegalArgumentException("another reason"));
    failing.succeeded("d2", "mend");
    failing.succeeded("d2", "mend");
    failing.failed("d2", "mend", new IllegalArgumentException("anew"));

    assertThat(lines)
        .containsExactly(
            "WARN maintenance failed, it is tried again; site=oslo of=d2 what=mend",
            "WARN maintenance failed, it is tried again; site=oslo of=d2 what=compare",
            "WARN maintenance failed, it is tried again; site=oslo of=d2 what=mend",
            "INFO maintenance succeeds again; site=oslo of=d2 what=mend",
            "WARN maintenance failed, it is tried again; site=oslo of=d2 what=mend");
  }

  /** Remembers what is logged. */
  private final class Lines extends LegacyAbstractLogger {

    private static final long serialVersionUID = 1L;

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
      lines.add(level + " " + MessageFormatter.arrayFormat(message, arguments).getMessage());
    }
  }
}
