package io.ensemble.cache;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.slf4j.Marker;
import org.slf4j.event.Level;
import org.slf4j.helpers.LegacyAbstractLogger;
import org.slf4j.helpers.MessageFormatter;

class TroublesTest {

  private final List<String> lines = new ArrayList<>();
  private final Troubles troubles = new Troubles(new Lines(), "comparison", "stock");

  @Test
  void theFirstFailureAndTheRecoveryAreLoggedAndNothingBetween() {
    troubles.succeeded("lyon");
    troubles.failed("lyon", "TIMED_OUT");
    troubles.failed("lyon", "UNREACHABLE");
    troubles.failed("oslo", "BUSY");
    assertThat(troubles.failing()).containsExactlyInAnyOrder("lyon", "oslo");
    troubles.succeeded("lyon");
    troubles.succeeded("lyon");

    assertThat(troubles.failing()).containsExactly("oslo");
    assertThat(lines)
        .containsExactly(
            "WARN comparison fails; cache=stock site=lyon why=TIMED_OUT",
            "WARN comparison fails; cache=stock site=oslo why=BUSY",
            "INFO comparison succeeds again; cache=stock site=lyon");
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
      lines.add(level + " " + MessageFormatter.basicArrayFormat(message, arguments));
    }
  }
}
