package io.ensemble.testkit.mwmr;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.testkit.mwmr.SimCache.Opened;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which sites a read asks: a majority where that will do, or all at once. */
class MajorityReadTest {

  private final Scene scene = Scene.inStep();
  private final Opened one = scene.process();
  private final Opened other = scene.process();

  /** The sites that a read by {@code reader} asks, in order; what is sent later counts as well. */
  private List<String> asked(Opened reader, Long expected) {
    long from = scene.federation.trace().size();
    assertThat(scene.read(reader, "k")).isEqualTo(expected);
    scene.pass(50);
    String request = reader.client().name() + " ";
    return scene.federation.trace().lines().stream()
        .skip(from)
        .filter(line -> line.contains(" " + request) && line.contains(" > read "))
        .map(line -> line.split(" ")[2])
        .toList();
  }

  private int roundsOfRead(Opened reader, Long expected) {
    scene.rounds();
    assertThat(scene.read(reader, "k")).isEqualTo(expected);
    return scene.rounds();
  }

  @Test
  void aMajorityDoesForWhatThisProcessHasWritten() {
    scene.put(one, "k", 1);

    assertThat(asked(one, 1L)).hasSize(2);
    assertThat(roundsOfRead(one, 1L)).isEqualTo(1);
  }

  @Test
  void aMajorityDoesForWhatWasReadBefore() {
    scene.put(other, "k", 1);

    assertThat(asked(one, 1L)).as("nothing is known").hasSize(3);
    assertThat(asked(one, 1L)).as("another process has written it since, perhaps").hasSize(3);
    assertThat(asked(one, 1L)).as("it stays what it is").hasSize(2);
  }

  /** Two equal votes of three prove nothing: the third is asked, and from then on all at once. */
  @Test
  void whatAnotherProcessHasWrittenIsFoundAndMakesTheNextReadAskAll() {
    scene.put(one, "k", 1);
    scene.put(other, "k", 2);

    assertThat(asked(one, 2L)).hasSize(3);
    scene.put(other, "k", 3);
    assertThat(roundsOfRead(one, 3L)).as("all at once").isEqualTo(1);
  }

  @Test
  void theRoundInWhichTheThirdIsAskedCounts() {
    scene.put(one, "k", 1);
    scene.put(other, "k", 2);

    assertThat(roundsOfRead(one, 2L)).isEqualTo(2);
  }

  @Test
  void sitesThatAreEquallyNearTakeTurns() {
    scene.put(one, "k", 1);

    List<List<String>> reads = List.of(asked(one, 1L), asked(one, 1L), asked(one, 1L));

    assertThat(reads).doesNotHaveDuplicates();
    assertThat(reads.stream().flatMap(List::stream).toList())
        .containsAll(scene.federation.siteNames());
  }

  /** Nobody waits until a request to a silent site is over. */
  @Test
  void aSilentSiteCostsAMomentOnceAndIsThenNotAskedFirst() {
    scene.put(one, "k", 1);
    scene.down("oslo");
    long begin = one.client().scheduler().nanos();

    for (int i = 0; i < 3; i++) {
      assertThat(scene.read(one, "k")).isEqualTo(1);
    }

    assertThat(one.client().scheduler().nanos() - begin).isLessThan(100_000_000);
    assertThat(asked(one, 1L)).doesNotContain("oslo").hasSize(2);
    scene.up("oslo");
    scene.put(one, "k", 2);
    scene.pass(5_000);
    scene.put(one, "k", 3);
    scene.pass(1_000);
    List<String> later = new ArrayList<>();
    for (int i = 0; i < 30; i++) {
      later.addAll(asked(one, 3L));
    }
    assertThat(later).as("it answers again").contains("oslo");
  }
}
