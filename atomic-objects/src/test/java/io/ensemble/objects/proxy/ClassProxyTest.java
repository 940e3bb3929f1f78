package io.ensemble.objects.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.objects.ObjectType;
import io.ensemble.objects.ReadOnly;
import io.ensemble.objects.machine.JavaStateMachine;
import io.ensemble.objects.machine.PublicSubclass;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Proxies of classes: every method that can be called reaches the state. */
class ClassProxyTest {

  static class Counter {
    private int count;

    int packagePrivate() {
      return ++count;
    }

    protected int forSubclasses() {
      return ++count;
    }

    public int add(int more) {
      return count += more;
    }

    public String add(String more) {
      return "as text " + add(Integer.parseInt(more));
    }

    public int addAll(int... more) {
      for (int each : more) {
        count += each;
      }
      return count;
    }

    public Counter twice() {
      count *= 2;
      return this;
    }

    @ReadOnly
    public int count() {
      return count;
    }

    public long big() {
      return Long.MAX_VALUE;
    }

    public boolean isZero() {
      return count == 0;
    }

    public void reset() {
      count = 0;
    }

    @Override
    public String toString() {
      throw new AssertionError("called");
    }

    @Override
    public boolean equals(Object other) {
      throw new AssertionError("called");
    }

    @Override
    public int hashCode() {
      throw new AssertionError("called");
    }
  }

  private final LocalObjects localObjects = new LocalObjects();
  private final Counter counter = localObjects.open(ObjectType.of(Counter.class), "visits");

  @Test
  void methodsOfEveryVisibilityReachTheState() {
    counter.packagePrivate();
    counter.forSubclasses();
    counter.add(3);

    assertThat(counter.count()).isEqualTo(5);
    assertThat(((Counter) LocalObjects.local(counter).state()).count).isEqualTo(5);
    assertThat(counter.count).isZero();
  }

  @Test
  void overloadsAreDistinct() {
    assertThat(counter.add(1)).isEqualTo(1);
    assertThat(counter.add("2")).isEqualTo("as text 3");
    assertThat(counter.addAll()).isEqualTo(3);
    assertThat(counter.addAll(4, 5)).isEqualTo(12);
  }

  @Test
  void primitivesAndNothingAreReturned() {
    assertThat(counter.isZero()).isTrue();
    assertThat(counter.big()).isEqualTo(Long.MAX_VALUE);
    counter.add(1);
    assertThat(counter.isZero()).isFalse();
    counter.reset();
    assertThat(counter.isZero()).isTrue();
  }

  @Test
  void anObjectThatReturnsItselfComesBackAsItsProxy() {
    counter.add(1);

    Counter returned = counter.twice().twice();

    assertThat(returned).isSameAs(counter);
    assertThat(counter.count()).isEqualTo(4);
  }

  @Test
  void whatChangesNothingIsSaidSo() {
    counter.add(1);
    counter.count();
    counter.reset();

    assertThat(LocalObjects.local(counter).calls()).containsExactly(false, true, false);
  }

  @Test
  void objectsOwnMethodsAreAboutTheProxy() {
    Counter other = localObjects.open(ObjectType.of(Counter.class), "others");
    Counter again = Proxies.of(machine(), LocalObjects.local(counter));

    assertThat(counter.toString()).isEqualTo("Counter[visits]");
    assertThat(counter.equals(again)).isTrue();
    assertThat(counter.hashCode()).isEqualTo(again.hashCode());
    assertThat(counter.equals(other)).isFalse();
    assertThat(counter.equals(null)).isFalse();
    assertThat(LocalObjects.local(counter).calls()).isEmpty();
  }

  private JavaStateMachine<Counter> machine() {
    return new JavaStateMachine<>(ObjectType.of(Counter.class), localObjects);
  }

  @Test
  void allProxiesOfAFaceAreOfOneClass() {
    Set<Class<?>> classes = new HashSet<>();
    for (int i = 0; i < 1_000; i++) {
      classes.add(Proxies.of(machine(), LocalObjects.local(counter)).getClass());
    }

    assertThat(classes).hasSize(1);
  }

  static class Busy {
    private final List<String> log = new ArrayList<>();
    private int made;

    Busy() {
      note("made", "well");
      assertThat(toString()).isNotNull();
      made = size();
    }

    void note(String... what) {
      log.addAll(List.of(what));
    }

    int size() {
      return log.size();
    }

    int made() {
      return made;
    }
  }

  @Test
  void whatAConstructorCallsRunsRightThere() {
    Busy busy = localObjects.open(ObjectType.of(Busy.class), "busy");

    assertThat(LocalObjects.local(busy).calls()).isEmpty();
    assertThat(busy.size()).isEqualTo(2);
    assertThat(busy.made()).isEqualTo(2);
  }

  static class Moody {
    static boolean fails;

    Moody() {
      if (fails) {
        throw new IllegalStateException("not today");
      }
    }
  }

  @Test
  void aConstructorThatFailsIsTheCause() {
    JavaStateMachine<Moody> machine =
        new JavaStateMachine<>(ObjectType.of(Moody.class), localObjects);
    LocalCallTarget local = new LocalCallTarget(localObjects, machine, "moody");
    Moody.fails = true;

    assertThatThrownBy(() -> Proxies.of(machine, local))
        .isInstanceOf(IllegalArgumentException.class)
        .hasRootCauseMessage("not today");
    Moody.fails = false;
  }

  abstract static class Shape {
    Shape() {}

    abstract double area();

    double twice() {
      return 2 * area();
    }
  }

  static class Square extends Shape {
    double side = 3;

    @Override
    double area() {
      return side * side;
    }
  }

  abstract static class Hasty {
    Hasty() {
      start();
    }

    abstract void start();
  }

  static class Started extends Hasty {
    @Override
    void start() {}
  }

  @Test
  void anAbstractClassIsAFaceToo() {
    Shape shape = localObjects.open(ObjectType.of(Shape.class, Square::new), "square");

    assertThat(shape.area()).isEqualTo(9);
    assertThat(shape.twice()).isEqualTo(18);
    assertThat(LocalObjects.local(shape).calls()).hasSize(2);
    assertThatThrownBy(() -> localObjects.open(ObjectType.of(Hasty.class, Started::new), "hasty"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasRootCauseMessage(
            "the constructor of an object class must not call abstract methods; got abstract void "
                + Hasty.class.getName()
                + ".start()");
  }

  static class Cell<V> {
    private V value;

    void put(V value) {
      this.value = value;
    }

    V get() {
      return value;
    }
  }

  static class Numbers extends Cell<Integer> {
    private int puts;

    @Override
    void put(Integer value) {
      puts++;
      super.put(value);
    }

    @Override
    @ReadOnly
    Integer get() {
      return super.get();
    }

    int puts() {
      return puts;
    }
  }

  @Test
  void aBridgeLeadsToTheOverridingMethod() {
    Numbers numbers = localObjects.open(ObjectType.of(Numbers.class), "numbers");
    Cell<Integer> asCell = numbers;

    asCell.put(4);
    numbers.put(5);

    assertThat(asCell.get()).isEqualTo(5);
    assertThat(numbers.get()).isEqualTo(5);
    assertThat(numbers.puts()).isEqualTo(2);
    assertThat(LocalObjects.local(numbers).calls())
        .containsExactly(false, false, true, true, false);
  }

  public static class Near extends PublicSubclass {
    private int own;

    int own() {
      return ++own;
    }
  }

  @Test
  void whatComesFromAnotherPackageIsCaughtToo() {
    Near near = localObjects.open(ObjectType.of(Near.class), "near");

    assertThat(near.own()).isEqualTo(1);
    assertThat(near.ofThePublic()).isEqualTo(1);
    assertThat(near.throughProtected()).isEqualTo(2);
    assertThat(near.own()).isEqualTo(2);
    assertThat(LocalObjects.local(near).calls()).hasSize(4);
  }
}
