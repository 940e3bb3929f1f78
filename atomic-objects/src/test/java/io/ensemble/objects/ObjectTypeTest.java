package io.ensemble.objects;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.annotation.ElementType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Which classes can be atomic objects, and how others are reported. */
class ObjectTypeTest {

  interface Face {
    int count();
  }

  static class Plain implements Face {
    @Override
    public int count() {
      return 1;
    }
  }

  static final class Final implements Face {
    @Override
    public int count() {
      return 2;
    }
  }

  static class Derived extends Plain {}

  abstract static class Half implements Face {}

  static class PrivatelyMade {
    private PrivatelyMade() {}
  }

  static class MadeOfSomething {
    MadeOfSomething(int any) {
      assertThat(any).isNotNegative();
    }
  }

  static class Fails {
    Fails() {
      throw new IllegalStateException("no");
    }
  }

  class Inner implements Face {
    @Override
    public int count() {
      return ObjectTypeTest.this.hashCode();
    }
  }

  static class WithFinals extends FinalAbove {
    final void packagePrivate() {}

    final int mine() {
      return privately();
    }

    private int privately() {
      return shared();
    }

    static int shared() {
      return 1;
    }
  }

  static class FinalAbove {
    protected final void above() {}
  }

  enum Colour {
    RED
  }

  record Pair(int a, int b) {}

  sealed interface Closed permits OfClosed {}

  static final class OfClosed implements Closed {}

  @interface Mark {}

  @Test
  void aClassIsFaceAndStateAtOnce() {
    ObjectType<Plain> type = ObjectType.of(Plain.class);

    assertThat(type.face()).isEqualTo(Plain.class);
    assertThat(type.state()).isEqualTo(Plain.class);
    assertThat(type.name()).isEqualTo(Plain.class.getName());
    assertThat(type.initial()).isNotSameAs(type.initial());
  }

  @Test
  void anInterfaceTakesItsStateFromASupplier() {
    ObjectType<Face> type = ObjectType.of(Face.class, Final::new);

    assertThat(type.face()).isEqualTo(Face.class);
    assertThat(type.state()).isEqualTo(Final.class);
    assertThat(type.name()).isEqualTo(Final.class.getName());
    assertThat(type.initial().count()).isEqualTo(2);
  }

  @Test
  void anAbstractClassTakesItsStateFromASupplier() {
    class Unused {}

    assertThat(ObjectType.of(Plain.class, Derived::new).state()).isEqualTo(Derived.class);
    refused(
        () -> ObjectType.of(Half.class),
        "requires a supplier of the initial state",
        Half.class.getName());
    refused(() -> ObjectType.of(Unused.class), "outside of methods");
  }

  @Test
  void eachSettingMakesANewType() {
    ObjectType<Plain> type = ObjectType.of(Plain.class);

    ObjectType<Plain> other = type.named("plain").with(Pair.class).with(Colour.class);

    assertThat(other.name()).isEqualTo("plain");
    assertThat(other.with()).containsExactlyInAnyOrder(Pair.class, Colour.class);
    assertThat(type.name()).isEqualTo(Plain.class.getName());
    assertThat(type.with()).isEmpty();
    refused(() -> type.named(" "), "must not be blank");
  }

  @Test
  void whatAProxyCannotStandForIsNoFace() {
    refused(() -> ObjectType.of(int.class), "not a primitive type; class=int");
    refused(() -> ObjectType.of(String[].class), "not an array");
    refused(() -> ObjectType.of(Mark.class), "not an annotation");
    refused(() -> ObjectType.of(Colour.class), "not an enum");
    refused(() -> ObjectType.of(ElementType.class), "not an enum");
    refused(() -> ObjectType.of(Pair.class), "not a record");
    refused(() -> ObjectType.of(Final.class), "must not be final", "use an interface");
    refused(() -> ObjectType.of(Closed.class, OfClosed::new), "must not be sealed");
    refused(() -> ObjectType.of(Inner.class), "static if it is nested");
    refused(() -> ObjectType.of(new Plain() {}.getClass()), "outside of methods");
    refused(() -> ObjectType.of(HashMap.class), "open to this library");
  }

  @Test
  void aClassAsFaceHasAConstructorForItsProxies() {
    refused(() -> ObjectType.of(PrivatelyMade.class), "must not be private");
    refused(
        () -> ObjectType.of(MadeOfSomething.class), "must have a constructor without parameters");
    refused(
        () -> ObjectType.of(MadeOfSomething.class, () -> new MadeOfSomething(1)),
        "must have a constructor without parameters");
  }

  @Test
  void finalMethodsAreListed() {
    refused(
        () -> ObjectType.of(WithFinals.class),
        "FinalAbove.above, WithFinals.mine, WithFinals.packagePrivate; class=");
  }

  @Test
  void methodsOfAnotherPackageThatAreVisibleThereOnlyAreListed() {
    refused(() -> ObjectType.of(FarChild.class), "PackagePrivateMethod.near; class=");
  }

  static class FarChild extends io.ensemble.objects.machine.PackagePrivateMethod {}

  @Test
  void anInterfaceAloneHasNoState() {
    refused(() -> ObjectType.of(Face.class), "ObjectType.of(type, supplier)");
  }

  @Test
  void aStateIsOfAClassThatAllProcessesKnow() {
    refused(() -> ObjectType.of(Face.class, () -> null), "returned null");
    refused(() -> ObjectType.of(Face.class, () -> () -> 3), "must not be a lambda");
    refused(() -> ObjectType.of(Face.class, () -> new Plain() {}), "outside of methods");
    refused(() -> ObjectType.of(Face.class, Inner::new), "static if it is nested");
    refused(
        () -> ObjectType.of(Comparable.class, () -> Colour.RED), "must not be an array or an enum");
  }

  @Test
  @SuppressWarnings({"unchecked", "rawtypes"})
  void aStateIsAnInstanceOfItsFace() {
    Supplier wrong = ArrayList::new;

    refused(
        () -> ObjectType.of(Face.class, wrong), "instance of its interface", "java.util.ArrayList");
  }

  @Test
  void allFirstStatesAreOfOneClass() {
    AtomicReference<Face> next = new AtomicReference<>(new Plain());
    ObjectType<Face> type = ObjectType.of(Face.class, next::get);

    next.set(new Final());

    assertThatThrownBy(type::initial)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining(Final.class.getName());
  }

  @Test
  void aConstructorThatFailsIsTheCause() {
    ObjectType<Fails> type = ObjectType.of(Fails.class);

    assertThatThrownBy(type::initial)
        .isInstanceOf(IllegalArgumentException.class)
        .hasRootCauseMessage("no");
  }

  @Test
  void aCollectionOfJavasCanBeAState() {
    ObjectType<?> type = ObjectType.of(List.class, ArrayList::new);

    assertThat(type.state()).isEqualTo(ArrayList.class);
  }

  private static void refused(Runnable mistake, String... wanted) {
    assertThatThrownBy(mistake::run)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContainingAll(wanted);
  }
}
