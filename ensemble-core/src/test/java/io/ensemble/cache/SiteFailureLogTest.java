package io.ensemble.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.RecordingLogger;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class SiteFailureLogTest {

  private final List<String> lines = new ArrayList<>();
  private final SiteFailureLog siteFailureLog =
      new SiteFailureLog(new RecordingLogger(lines), "comparison", "stock");

  @Test
  void theFirstFailureAndTheRecoveryAreLoggedAndNothingBetween() {
    siteFailureLog.succeeded("lyon");
    siteFailureLog.failed("lyon", "TIMED_OUT");
    siteFailureLog.failed("lyon", "UNREACHABLE");
    siteFailureLog.failed("oslo", "BUSY");
    assertThat(siteFailureLog.failing()).containsExactlyInAnyOrder("lyon", "oslo");
    siteFailureLog.succeeded("lyon");
    siteFailureLog.succeeded("lyon");

    assertThat(siteFailureLog.failing()).containsExactly("oslo");
    assertThat(lines)
        .containsExactly(
            "WARN comparison fails; cache=stock site=lyon why=TIMED_OUT",
            "WARN comparison fails; cache=stock site=oslo why=BUSY",
            "INFO comparison succeeds again; cache=stock site=lyon");
  }
}
