package io.ensemble.objects;

import static io.ensemble.objects.FactoryFixture.VISITS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.objects.protocol.ProtocolSettings;
import io.ensemble.objects.value.StateCodec;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Mistakes of users are reported, and other objects and callers are unaffected. */
class ObjectMisuseTest {

  private final FactoryFixture factoryFixture = new FactoryFixture();

  @AfterEach
  void close() {
    factoryFixture.close();
  }

  @Test
  void namesAndTypesAreChecked() {
    AtomicObjectFactory factory = factoryFixture.one();
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
    Visits visits =
        factoryFixture.one(ProtocolSettings.DEFAULT.stateBytes(2000)).create("visits", VISITS);
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
    Visits visits =
        factoryFixture.one(ProtocolSettings.DEFAULT.comparing(true)).create("visits", VISITS);

    assertThatThrownBy(visits::random)
        .isInstanceOf(AtomicObjectException.CallRefused.class)
        .hasMessageContaining("depend on state and arguments only");
    assertThatThrownBy(visits::lying)
        .isInstanceOf(AtomicObjectException.CallRefused.class)
        .hasMessageContaining("read-only");

    assertThat(visits.visit("a")).isEqualTo(1);
  }

  @Test
  void aReadOnlyMethodThatLiesChangesNothingForOthers() {
    Visits visits = factoryFixture.one().create("visits", VISITS);

    visits.lying();

    assertThat(visits.visit("a")).isEqualTo(1);
  }

  @Test
  void anObjectThatCannotBeReadHereIsQuarantinedAndOthersGoOn() {
    AtomicObjectFactory factory = factoryFixture.one();
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
    Visits there = factoryFixture.one().open("visits", VISITS.codec(broken));

    assertThatThrownBy(() -> there.visit("b"))
        .isInstanceOf(AtomicObjectException.ObjectUnreadable.class)
        .hasMessageContaining("of a later version");
    assertThat(fine.visit("c")).isEqualTo(1);
    assertThat(factoryFixture.one().open("visits", VISITS).visit("d")).isEqualTo(2);
  }

  @Test
  void closingIsForOneHandleAndTwiceIsHarmless() {
    AtomicObjectFactory factory = factoryFixture.one();
    Visits first = factory.create("visits", VISITS);
    Visits second = factory.open("visits", VISITS);

    factory.close(first);
    factory.close(first);

    assertThat(second.visit("a")).isEqualTo(1);
    assertThatThrownBy(() -> first.visit("b"))
        .isInstanceOf(AtomicObjectException.CallRefused.class);
  }

  @Test
  void halvesOfCharactersMakeNoName() {
    AtomicObjectFactory factory = factoryFixture.one();

    assertThatThrownBy(() -> factory.create("a\ud800", VISITS))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void aProxyIsClosedByItsOwnFactory() {
    AtomicObjectFactory factory = factoryFixture.one();
    Visits visits = factory.create("visits", VISITS);

    assertThatThrownBy(() -> factoryFixture.one().close(visits))
        .isInstanceOf(IllegalArgumentException.class);

    assertThat(visits.visit("a")).isEqualTo(1);
  }

  @Test
  void aTypeThatIsMadeOfTheSameIsTheSame() {
    assertThat(ObjectType.of(Visits.class))
        .isEqualTo(ObjectType.of(Visits.class))
        .hasSameHashCodeAs(ObjectType.of(Visits.class))
        .isNotEqualTo(ObjectType.of(Visits.class).named("other"));
  }

  /** Reuses one array, changes the array that it reads, and may return null. */
  private static final class Careless implements StateCodec<Visits> {
    private final byte[] shared = new byte[4];
    private boolean gives = true;

    @Override
    public byte[] write(Visits state) {
      shared[3] = (byte) state.count();
      return gives ? shared : null;
    }

    @Override
    public Visits read(byte[] bytes) {
      Visits visits = new Visits();
      for (int i = 0; i < bytes[3]; i++) {
        visits.visit("x");
      }
      bytes[3] = 77;
      return visits;
    }
  }

  @Test
  void aCodecThatSharesItsArraysOrGivesNoneHarmsNothing() {
    Careless careless = new Careless();
    Visits visits = factoryFixture.one().create("visits", VISITS.codec(careless));
    Visits there = factoryFixture.one().open("visits", VISITS.codec(careless));

    for (int i = 1; i < 10; i += 2) {
      assertThat(visits.visit("a")).isEqualTo(i);
      assertThat(there.visit("b")).isEqualTo(i + 1);
    }

    careless.gives = false;
    assertThatThrownBy(() -> visits.visit("c"))
        .isInstanceOf(AtomicObjectException.CallRefused.class);
    careless.gives = true;
    assertThat(visits.count()).isEqualTo(10);
  }

  /** May hold a value that cannot be written. */
  public static class Anything {
    private Object held = "nothing";

    public void hold(String wanted) {
      held = wanted.equals("thread") ? new Thread() : wanted;
    }
  }

  @Test
  void aStateThatCannotBeWrittenIsRefusedAlsoWhereItIsStoredByItselfAndCompared() {
    ProtocolSettings layout =
        ProtocolSettings.DEFAULT.inlineBytes(1).tailBytes(1 << 20).comparing(true);
    Anything anything =
        factoryFixture.one(layout).create("anything", ObjectType.of(Anything.class));
    for (int i = 0; i < 5; i++) {
      anything.hold("some text");
    }

    assertThatThrownBy(() -> anything.hold("thread"))
        .isInstanceOf(AtomicObjectException.CallRefused.class);

    anything.hold("more");
  }

  /** Uses the factory inside a method. */
  public static class Opening {
    static AtomicObjectFactory factory;

    public boolean open() {
      return factory.exists("visits");
    }
  }

  @Test
  void aMethodCannotUseTheFactory() {
    Opening.factory = factoryFixture.one();
    Opening opening = Opening.factory.create("opening", ObjectType.of(Opening.class));

    assertThatThrownBy(opening::open).hasMessageContaining("exists");
  }

  @Test
  void sizesAreAboveZero() {
    assertThatThrownBy(() -> ProtocolSettings.DEFAULT.members(0))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> ProtocolSettings.DEFAULT.stateBytes(-1))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
