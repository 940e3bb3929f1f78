package io.ensemble.zoofence.flattening;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class FlatteningTest {
  private static final List<String> NAMES = List.of("lyon", "oslo", "bern");

  private static Flattening read(String text) {
    return FlatteningText.read(text, NAMES);
  }

  private static InstanceSet set(int... numbers) {
    return InstanceSet.of(numbers);
  }

  @Test
  void withoutRulesAllHoldAll() {
    Flattening flattening = Flattening.replicated(3);

    assertThat(flattening.holders("/")).isEqualTo(set(0, 1, 2));
    assertThat(flattening.holders("/a/b/c")).isEqualTo(set(0, 1, 2));
  }

  @Test
  void aRuleHoldsAtItsPathAndBelowUpToTheNextOne() {
    Flattening flattening = read("/a lyon oslo\n/a/b 2 # by its number\n");

    assertThat(flattening.holders("/a")).isEqualTo(set(0, 1));
    assertThat(flattening.holders("/a/x/y")).isEqualTo(set(0, 1));
    assertThat(flattening.holders("/a/b")).isEqualTo(set(1));
    assertThat(flattening.holders("/a/b/c")).isEqualTo(set(1));
    assertThat(flattening.holders("/ab")).isEqualTo(set(0, 1, 2));
    assertThat(flattening.holdersOfParent("/a/b")).isEqualTo(set(0, 1));
  }

  @Test
  void aHashDividesWhatIsBelowItsPathAndKeepsSubtreesTogether() {
    Flattening flattening = read("/q hash 1\n");

    assertThat(flattening.holders("/q")).isEqualTo(set(0, 1, 2));
    assertThat(flattening.holders("/q/one").isSingle()).isTrue();
    assertThat(flattening.holders("/q/one/x/y")).isEqualTo(flattening.holders("/q/one"));
    assertThat(List.of("/q/a", "/q/b", "/q/c", "/q/d", "/q/e", "/q/f"))
        .extracting(flattening::holders)
        .contains(set(0), set(1), set(2));
  }

  @Test
  void levelsRemoveInstancesUntilOneIsLeft() {
    Flattening flattening = read("/ levels 2 1\n");

    assertThat(flattening.holders("/a").size()).isEqualTo(3);
    assertThat(flattening.holders("/a/b").size()).isEqualTo(2);
    assertThat(flattening.holders("/a/b/c").size()).isEqualTo(2);
    assertThat(flattening.holders("/a/b/c/d").size()).isEqualTo(1);
    assertThat(flattening.holders("/a/b/c/d/e/f/g/h").size()).isEqualTo(1);
  }

  @Test
  void aFlatteningThatBreaksTheInclusionIsRefusedWithEveryPath() {
    assertThatThrownBy(() -> read("/a 1 2\n/a/b 3\n/a/c 2 3\n/a/d 2\n"))
        .isInstanceOfSatisfying(
            FlatteningException.class, e -> assertThat(e.paths()).containsExactly("/a/b", "/a/c"))
        .hasMessageContaining("/a/b (held by 3, but its parent only by 1,2)");
    assertThatThrownBy(() -> read("/ 1 2\n")).hasMessageContaining("the root must be held by all");
  }

  @Test
  void aTextThatCannotBeReadNamesItsLine() {
    assertThatThrownBy(() -> read("/a 1\n/b rome\n")).hasMessageContaining("line 2 (/b rome)");
    assertThatThrownBy(() -> read("/a 1\n/a 2\n")).hasMessageContaining("second rule for /a");
    assertThatThrownBy(() -> read("a 1\n")).hasMessageContaining("line 1");
    assertThatThrownBy(() -> read("/a\n")).hasMessageContaining("which instances hold the path");
    assertThatThrownBy(() -> read("/a hash\n")).hasMessageContaining("requires 1 number");
    assertThatThrownBy(() -> read("/a hash 0\n")).hasMessageContaining("at least 1");
    assertThatThrownBy(() -> read("/a levels 1 x\n")).hasMessageContaining("expected a number");
    assertThatThrownBy(() -> read("/a 4\n")).hasMessageContaining("no instance is named 4");
  }

  @Test
  void whatIsWrittenReadsTheSame() {
    Flattening flattening = read("/ hash 1\n/a *\n/a/b 2,3\n/a/b/c levels 1 1\n");

    assertThat(read(flattening.toString())).isEqualTo(flattening);
  }

  @Test
  void holdersAreAlwaysAmongTheParents() {
    var random = new Random(7);
    for (int trial = 0; trial < 300; trial++) {
      var text = new StringBuilder();
      for (int rule = 0; rule < 4; rule++) {
        text.append(path(random)).append(' ').append(rule(random)).append('\n');
      }
      Flattening flattening;
      try {
        flattening = read(text.toString());
      } catch (FlatteningException refused) {
        continue;
      }
      for (int sample = 0; sample < 50; sample++) {
        String path = path(random) + path(random);
        assertThat(flattening.holdersOfParent(path).containsAll(flattening.holders(path)))
            .as("%s under\n%s", path, text)
            .isTrue();
        assertThat(flattening.holders(path).isEmpty()).isFalse();
      }
    }
  }

  private static String path(Random random) {
    var path = new StringBuilder();
    for (int depth = random.nextInt(3); depth >= 0; depth--) {
      path.append('/').append((char) ('a' + random.nextInt(3)));
    }
    return path.toString();
  }

  private static String rule(Random random) {
    return switch (random.nextInt(5)) {
      case 0 -> "hash " + (1 + random.nextInt(2));
      case 1 -> "levels " + (1 + random.nextInt(2)) + " " + (1 + random.nextInt(2));
      case 2 -> "*";
      case 3 -> Integer.toString(1 + random.nextInt(3));
      default -> "1 " + (2 + random.nextInt(2));
    };
  }
}
