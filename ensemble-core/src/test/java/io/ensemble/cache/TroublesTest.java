package io.ensemble.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.NotingLogger;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class TroublesTest {

  private final List<String> lines = new ArrayList<>();
  private final Troubles troubles = new Troubles(new NotingLogger(lines), "comparison", "stock");

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
}
