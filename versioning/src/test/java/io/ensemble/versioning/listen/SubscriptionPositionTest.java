package io.ensemble.versioning.listen;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class SubscriptionPositionTest {

  private static final SubscriptionPosition POSITION =
      new SubscriptionPosition(
          "pages", Map.of("aG9tZQ", new KeyPosition(-5, 1L << 40), "YWJvdXQ", KeyPosition.NONE));

  @Test
  void aPositionIsReadAsItWasWritten() {
    byte[] bytes = POSITION.bytes();

    assertThat(SubscriptionPosition.of(bytes)).isEqualTo(POSITION);
    assertThat(SubscriptionPosition.of(bytes).bytes()).isEqualTo(bytes);
    assertThat(SubscriptionPosition.of(SubscriptionPosition.BEGINNING.bytes()))
        .isEqualTo(SubscriptionPosition.BEGINNING);
  }

  @Test
  void aKeyTakesFourThirdsOfItsLengthAndEighteenBytes() {
    Map<String, KeyPosition> positions = new HashMap<>();
    for (int i = 0; i < 1_000; i++) {
      positions.put("key" + (1_000 + i), new KeyPosition(i + 1, i)); // seven characters
    }

    int size = new SubscriptionPosition("pages", positions).bytes().length;

    assertThat(size).isEqualTo(1 + 2 + "pages".length() + 4 + 1_000 * (7 + 18));
  }

  @Test
  void bytesThatAreCutOrLongerOrNoneAreRefused() {
    byte[] bytes = POSITION.bytes();

    for (int length = 0; length < bytes.length; length++) {
      byte[] cut = Arrays.copyOf(bytes, length);
      assertThatThrownBy(() -> SubscriptionPosition.of(cut))
          .isInstanceOf(IllegalArgumentException.class);
    }
    assertThatThrownBy(() -> SubscriptionPosition.of(Arrays.copyOf(bytes, bytes.length + 1)))
        .isInstanceOf(IllegalArgumentException.class);
    byte[] other = bytes.clone();
    other[0] = 9;
    assertThatThrownBy(() -> SubscriptionPosition.of(other))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("position must have format 1; got 9");
  }

  @Test
  void hostileBytesAreRefusedOrRead() {
    Random random = new Random(1);
    for (int i = 0; i < 20_000; i++) {
      byte[] changed = POSITION.bytes();
      changed[random.nextInt(changed.length)] = (byte) random.nextInt();
      try {
        SubscriptionPosition.of(changed);
      } catch (IllegalArgumentException e) {
        assertThat(e).hasMessageNotContaining("null");
      }
    }
  }

  @Test
  void aPositionOfAnotherCacheIsRefused() {
    POSITION.check("pages");
    SubscriptionPosition.BEGINNING.check("pages");

    assertThatThrownBy(() -> POSITION.check("carts"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("position must be of cache carts; got one of pages");
  }
}
