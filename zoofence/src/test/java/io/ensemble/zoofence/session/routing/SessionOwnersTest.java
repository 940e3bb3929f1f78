package io.ensemble.zoofence.session.routing;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class SessionOwnersTest {
  private static final byte[] PASSWORD = {1, 2};

  private final SessionOwners sessionOwners = new SessionOwners();
  private final List<String> lost = new ArrayList<>();
  private final Runnable first = () -> lost.add("first");
  private final Runnable second = () -> lost.add("second");

  @Test
  void whoeverKnowsThePasswordTakesTheSeat() {
    sessionOwners.register(7, PASSWORD, first);

    sessionOwners.claim(7, new byte[] {1, 3});
    sessionOwners.claim(8, PASSWORD);
    assertThat(lost).isEmpty();
    sessionOwners.claim(7, PASSWORD.clone());

    assertThat(lost).containsExactly("first");
  }

  @Test
  void aSeatThatAnotherHasTakenIsNotLeftByTheFirst() {
    sessionOwners.register(7, PASSWORD, first);
    sessionOwners.register(7, PASSWORD, second);

    sessionOwners.unregister(7, first);
    sessionOwners.claim(7, PASSWORD);

    assertThat(lost).containsExactly("first", "second");
  }

  @Test
  void nobodyIsToldOfASeatThatWasLeft() {
    sessionOwners.register(7, PASSWORD, first);

    sessionOwners.unregister(7, first);
    sessionOwners.claim(7, PASSWORD);

    assertThat(lost).isEmpty();
  }
}
