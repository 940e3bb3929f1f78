package io.ensemble.objects;

import static io.ensemble.objects.Factories.VISITS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.objects.course.Layout;
import io.ensemble.objects.value.StateCodec;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What users get wrong is told, and harms nobody else. */
class MistakesTest {

  private final Factories factories = new Factories();

  @AfterEach
  void close() {
    factories.close();
  }

  @Test
  void namesAndTypesAreChecked() {
    AtomicObjectFactory factory = factories.one();
    factory.create("visits", VISITS);

    assertThatThrownBy(() -> factory.create("visits", VISITS))
        .isInstanceOf(AtomicObjectException.ObjectExists.class);
    assertThatThrownBy(() -> factory.open("nothing", VISITS))
        .isInstanceOf(AtomicObjectException.NoSuchObject.class);
    assertThatThrownBy(() -> factory.open("visits", VISITS.named("other")))
        .isInstanceOf(AtomicObjectException.OtherType.class);
    assertThatThrownBy(() -> factory.create("", VISITS))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> factory.create("x".repeat(1001), VISITS))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void aStateOverTheLimitIsNotMade() {
    Visits visits = factories.one(Layout.DEFAULT.stateBytes(2000)).create("visits", VISITS);
    visits.fill(1000);

    assertThatThrownBy(() -> visits.fill(1500))
        .isInstanceOf(AtomicObjectException.CallRefused.class)
        .hasMessageContaining("at most 2000");

    assertThat(visits.log()).hasSize(1);
    visits.clear();
    visits.fill(1500);
  }

  @Test
  void aMethodThatReplicasWouldDisagreeAboutIsFound() {
    Visits visits = factories.one(Layout.DEFAULT.comparing(true)).create("visits", VISITS);

    assertThatThrownBy(visits::random)
        .isInstanceOf(AtomicObjectException.CallRefused.class)
        .hasMessageContaining("more than state and arguments");
    assertThatThrownBy(visits::lying)
        .isInstanceOf(AtomicObjectException.CallRefused.class)
        .hasMessageContaining("read-only");

    assertThat(visits.visit("a")).isEqualTo(1);
  }

  @Test
  void aReadOnlyMethodThatLiesChangesNothingForOthers() {
    Visits visits = factories.one().create("visits", VISITS);

    visits.lying();

    assertThat(visits.visit("a")).isEqualTo(1);
  }

  @Test
  void anObjectThatCannotBeReadHereIsQuarantinedAndOthersGoOn() {
    AtomicObjectFactory factory = factories.one();
    StateCodec<Visits> broken =
        new StateCodec<>() {
          @Override
          public byte[] write(Visits state) {
            return new byte[0];
          }

          @Override
          public Visits read(byte[] bytes) {
            throw new IllegalArgumentException("of a later version");
          }
        };
    Visits fine = factory.create("fine", VISITS);
    factory.create("visits", VISITS).visit("a");
    Visits there = factories.one().open("visits", VISITS.codec(broken));

    assertThatThrownBy(() -> there.visit("b"))
        .isInstanceOf(AtomicObjectException.ObjectUnreadable.class)
        .hasMessageContaining("of a later version");
    assertThat(fine.visit("c")).isEqualTo(1);
    assertThat(factories.one().open("visits", VISITS).visit("d")).isEqualTo(2);
  }

  @Test
  void closingIsForOneHandleAndTwiceIsHarmless() {
    AtomicObjectFactory factory = factories.one();
    Visits first = factory.create("visits", VISITS);
    Visits second = factory.open("visits", VISITS);

    factory.close(first);
    factory.close(first);

    assertThat(second.visit("a")).isEqualTo(1);
    assertThatThrownBy(() -> first.visit("b"))
        .isInstanceOf(AtomicObjectException.CallRefused.class);
  }
}
