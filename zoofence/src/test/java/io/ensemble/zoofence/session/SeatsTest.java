package io.ensemble.zoofence.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class SeatsTest {
  private static final byte[] PASSWORD = {1, 2};

  private final Seats seats = new Seats();
  private final List<String> lost = new ArrayList<>();
  private final Runnable first = () -> lost.add("first");
  private final Runnable second = () -> lost.add("second");

  @Test
  void whoeverKnowsThePasswordTakesTheSeat() {
    seats.take(7, PASSWORD, first);

    seats.claim(7, new byte[] {1, 3});
    seats.claim(8, PASSWORD);
    assertThat(lost).isEmpty();
    seats.claim(7, PASSWORD.clone());

    assertThat(lost).containsExactly("first");
  }

  @Test
  void aSeatThatAnotherHasTakenIsNotLeftByTheFirst() {
    seats.take(7, PASSWORD, first);
    seats.take(7, PASSWORD, second);

    seats.leave(7, first);
    seats.claim(7, PASSWORD);

    assertThat(lost).containsExactly("first", "second");
  }

  @Test
  void nobodyIsToldOfASeatThatWasLeft() {
    seats.take(7, PASSWORD, first);

    seats.leave(7, first);
    seats.claim(7, PASSWORD);

    assertThat(lost).isEmpty();
  }
}
