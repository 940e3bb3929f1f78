package io.ensemble.objects.record;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.objects.record.ObjectRoot.Standing;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class ObjectRootTest {

  private static final UUID BIRTH = new UUID(1, 1);
  private static final UUID KNOWN = new UUID(2, 2);
  private static final UUID OTHER = new UUID(3, 3);

  /** Has an entry for KNOWN, up to its third batch. The horizon is 5. */
  private static final ObjectRoot ROOT =
      new ObjectRoot(
          "t",
          BIRTH,
          9,
          4,
          new StateLocation.Inline(ByteString.EMPTY),
          List.of(new SessionEntry(KNOWN, 3, 7, List.of())),
          5,
          null,
          null,
          0);

  private static CallBatch batch(UUID birth, UUID session, long number, long base) {
    return new CallBatch(birth, session, number, base, List.of(ByteString.EMPTY));
  }

  @Test
  void aMembersBatchesAreToldApartByTheirNumbers() {
    assertThat(ROOT.standing(batch(BIRTH, KNOWN, 2, 0))).isEqualTo(Standing.APPLIED);
    assertThat(ROOT.standing(batch(BIRTH, KNOWN, 3, 0))).isEqualTo(Standing.APPLIED);
    assertThat(ROOT.standing(batch(BIRTH, KNOWN, 4, 0))).isEqualTo(Standing.NEW);
  }

  @Test
  void aBatchFromBeforeTheHorizonMayHaveBeenForgotten() {
    assertThat(ROOT.standing(batch(BIRTH, OTHER, 1, 4))).isEqualTo(Standing.FORGOTTEN);
    assertThat(ROOT.standing(batch(BIRTH, OTHER, 1, 5))).isEqualTo(Standing.NEW);
  }

  @Test
  void batchesOfAnotherLifeAreNeverApplied() {
    ObjectRoot disposed = ROOT.disposed();
    ObjectRoot reborn = disposed.reborn("t", OTHER, ByteString.EMPTY);

    assertThat(ROOT.standing(batch(OTHER, KNOWN, 4, 9))).isEqualTo(Standing.OF_ANOTHER_LIFE);
    assertThat(disposed.standing(batch(BIRTH, KNOWN, 4, 9))).isEqualTo(Standing.OF_ANOTHER_LIFE);
    assertThat(reborn.standing(batch(BIRTH, KNOWN, 4, 9))).isEqualTo(Standing.OF_ANOTHER_LIFE);
  }

  @Test
  void aTombstoneTellsWhichBatchesItHasNotSeen() {
    ObjectRoot disposed = ROOT.disposed();

    assertThat(disposed.cannotHaveSeen(batch(BIRTH, KNOWN, 4, 9))).isTrue();
    assertThat(disposed.cannotHaveSeen(batch(BIRTH, KNOWN, 3, 9))).isFalse();
    assertThat(disposed.cannotHaveSeen(batch(BIRTH, OTHER, 1, 4))).isFalse();
  }

  @Test
  void numbersGoOnOverLives() {
    ObjectRoot reborn = ROOT.disposed().reborn("t", OTHER, ByteString.EMPTY);

    assertThat(reborn.sequence()).isEqualTo(11);
    assertThat(reborn.position()).isEqualTo(4);
    assertThat(reborn.horizon()).isEqualTo(10);
  }
}
