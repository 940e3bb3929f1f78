package io.ensemble.objects.value;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.objects.machine.UnreadableException;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** A class changes between writing and reading. Old and New are its two versions. */
class ClassEvolutionTest {

  private static final ValueCodec OLD =
      ValueCodec.of(
          Set.of(PartOld.class, RowOld.class, Gone.class, Kept.class, GoneKind.class),
          ReferenceResolver.NONE);
  private static final ValueCodec NEW =
      ValueCodec.of(Set.of(PartNew.class, RowNew.class, Kept.class), ReferenceResolver.NONE);

  @Test
  void aFieldThatWasAddedKeepsWhatTheConstructorGave() {
    PartNew read = (PartNew) migrated(new PartOld());

    assertThat(read.added).isEqualTo("as constructed");
    assertThat(read.name).isEqualTo("old");
  }

  @Test
  void aFieldOfALargerTypeTakesWhatASmallerOneHad() {
    PartNew read = (PartNew) migrated(new PartOld());

    assertThat(read.widened).isEqualTo(7);
  }

  @Test
  void aFieldThatWasRemovedIsDroppedThoughItsClassesAreGoneToo() {
    PartOld part = new PartOld();
    Gone gone = new Gone();
    gone.inside = Map.of("k", GoneKind.ONE, "l", new Gone[] {gone});
    part.removed =
        List.of(gone, new TreeSet<>(Set.of(new Gone())), new Kept(gone), Map.of(gone, 1), gone);

    PartNew read = (PartNew) migrated(part);

    assertThat(read.name).isEqualTo("old");
    assertThat(read.last).isEqualTo("last");
  }

  @Test
  void whatWasMetFirstInARemovedFieldIsStillThere() {
    PartOld part = new PartOld();
    Set<Object> shared = new HashSet<>(Set.of("x"));
    part.removed = List.of(new Gone(), shared);
    part.last = shared;

    PartNew read = (PartNew) migrated(part);

    assertThat(read.last).isEqualTo(shared);
  }

  @Test
  void whatIsGoneAndStillNeededIsUnreadable() {
    PartOld part = new PartOld();
    part.last = new Gone();
    part.removed = List.of(part.last);

    assertThatThrownBy(() -> migrated(part))
        .isInstanceOf(UnreadableException.class)
        .hasMessageContaining("missing");
  }

  @Test
  void aRecordGrowsByComponentsThatAreNullOrZero() {
    RowNew read = (RowNew) migrated(new RowOld("a", 3));

    assertThat(read).isEqualTo(new RowNew(0, 3L, null, false));
  }

  @Test
  void aFieldOfAnotherTypeIsUnreadable() {
    PartOld part = new PartOld();
    part.last = 3;
    byte[] other = UnwritableValuesTest.replaced(OLD.write(part), "PartOld", "PartNew");

    assertThatThrownBy(() -> NEW.read(swapped(other)))
        .isInstanceOf(UnreadableException.class)
        .hasMessageContaining("PartNew.name cannot hold what came, a java.lang.Integer");
  }

  /** Swaps the names of the fields {@code name} and {@code last}. */
  private static byte[] swapped(byte[] bytes) {
    byte[] once = UnwritableValuesTest.replaced(bytes, "name", "????");
    return UnwritableValuesTest.replaced(
        UnwritableValuesTest.replaced(once, "last", "name"), "????", "last");
  }

  private static Object migrated(Object old) {
    byte[] bytes = OLD.write(old);
    return NEW.read(
        UnwritableValuesTest.replaced(
            UnwritableValuesTest.replaced(bytes, "PartOld", "PartNew"), "RowOld", "RowNew"));
  }

  static final class Gone implements Comparable<Gone> {
    Object inside;

    @Override
    public int compareTo(Gone other) {
      return 0;
    }
  }

  enum GoneKind {
    ONE
  }

  record Kept(Object thing) {}

  static final class PartOld {
    Object removed;
    String name = "old";
    int widened = 7;
    Object last = "last";
  }

  static final class PartNew {
    String added = "as constructed";
    String name = "new";
    long widened;
    Object last;
  }

  record RowOld(String dropped, int number) {}

  record RowNew(int added, long number, String text, boolean flag) {}
}
