package io.ensemble.objects.value;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.objects.machine.UnreadableException;
import io.ensemble.objects.value.SampleClasses.Node;
import io.ensemble.objects.value.SampleClasses.Order;
import io.ensemble.objects.value.SampleClasses.Pair;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.Test;

/**
 * Values that cannot be written are refused with class, path and remedy. Unknown classes are not
 * instantiated.
 */
class UnwritableValuesTest {

  private static final AtomicInteger MADE = new AtomicInteger();

  private final ValueCodec valueCodec =
      ValueCodec.of(
          with(
              SampleClasses.ALL,
              Inner.class,
              NoConstructor.class,
              Grown.class,
              Abstract.class,
              Failing.class),
          ReferenceResolver.NONE);

  @Test
  void anUnknownClassIsRefusedWithItsPathAndTheRemedy() {
    Order order = new Order(1);
    order.lines.addAll(List.of("a", "b", new Unknown()));

    refused(order)
        .hasMessageContaining("cannot write Order.lines[2]: ")
        .hasMessageContaining(Unknown.class.getName())
        .hasMessageContaining(".with(Unknown.class)");
  }

  @Test
  void thePathNamesKeys() {
    Order order = new Order(1);
    order.notes.put("k", Map.of(3, new Pair(1, new Unknown())));

    refused(order).hasMessageContaining("Order.notes[\"k\"][3].right: ");
    refused(Map.of(new Unknown(), 1)).hasMessageContaining("[key of Unknown]");
  }

  @Test
  void aLambdaIsRefusedInItsOwnWords() {
    Supplier<String> lambda = () -> "x";
    Supplier<String> method = new Order(1)::toString;

    refused(lambda).hasMessageContaining("a lambda").hasMessageContaining("a method of the object");
    refused(List.of(method)).hasMessageContaining("a lambda");
  }

  @Test
  void whatIsTiedToItsSurroundingsIsRefused() {
    Object anonymous = new Object() {};
    int captured = MADE.get();
    class Local {
      int number() {
        return captured;
      }
    }
    ValueCodec known =
        ValueCodec.of(
            Set.of(Inner.class, Local.class, anonymous.getClass()), ReferenceResolver.NONE);

    assertThatThrownBy(() -> known.write(anonymous)).hasMessageContaining("anonymous");
    assertThatThrownBy(() -> known.write(new Inner())).hasMessageContaining("make it static");
    assertThatThrownBy(() -> known.write(new Local())).hasMessageContaining("make it static");
  }

  @Test
  void whatCannotBeMadeAgainIsRefused() {
    refused(new NoConstructor(1)).hasMessageContaining("constructor without arguments");
    refused(new Grown()).hasMessageContaining("extends java.util.ArrayList");
    refused(new Thread()).hasMessageContaining("class of the JDK");
    refused(new Object()).hasMessageContaining("class of the JDK");
    refused(Collections.synchronizedList(new ArrayList<>())).hasMessageContaining("JDK");
    refused(new IdentityHashMap<>()).hasMessageContaining("JDK");
    refused(new TreeSet<>(Comparator.comparing(Object::toString)))
        .hasMessageContaining("comparator");
    refused(new EnumMap<Thread.State, Object>(Thread.State.class)).hasMessageContaining(".with(");
    refused(new Unknown[0]).hasMessageContaining(".with(Unknown.class)");
  }

  @Test
  void theCodecOfAClassThatCannotBeWrittenIsRefusedAtOnce() {
    assertThatThrownBy(() -> valueCodec.fields(NoConstructor.class))
        .isInstanceOf(NotWritableException.class)
        .hasMessageContaining("constructor without arguments");
    assertThatThrownBy(() -> valueCodec.fields(Abstract.class)).hasMessageContaining("abstract");
    assertThatThrownBy(() -> valueCodec.fields(Unknown.class)).hasMessageContaining(".with(");
  }

  @Test
  void aRecordThatContainsItselfIsRefused() {
    List<Object> list = new ArrayList<>();
    list.add(new Pair(1, list));
    List<Object> inside = new ArrayList<>();
    Pair pair = new Pair(1, inside);
    inside.add(pair);

    assertThat(valueCodec.read(valueCodec.write(list))).isInstanceOf(List.class);
    refused(pair).hasMessageContaining("Pair.right[0]: ").hasMessageContaining("contains itself");
  }

  @Test
  void whatIsNestedTooDeepIsRefusedAndWhatIsNotIsRead() {
    Node deepest = chain(500);

    Node read = (Node) valueCodec.read(valueCodec.write(deepest));

    assertThat(read.name).isEqualTo("499");
    refused(chain(501)).hasMessageContaining("more than 500 deep").hasMessageContaining("steps");
    refused(chain(100_000)).hasMessageContaining("more than 500 deep");
  }

  @Test
  void aClassThatIsNotKnownIsNeitherMadeNorInitialised() {
    byte[] bytes = ValueCodec.of(Set.of(Trap.class), ReferenceResolver.NONE).write(new Trap());
    byte[] watched = replaced(bytes, "$Trap", "$Tray");
    MADE.set(0);

    assertThatThrownBy(() -> valueCodec.read(bytes))
        .isInstanceOf(UnreadableException.class)
        .hasMessageContaining(Trap.class.getName());
    assertThatThrownBy(() -> valueCodec.read(watched)).isInstanceOf(UnreadableException.class);

    assertThat(MADE).hasValue(0);
    ValueCodec.of(Set.of(Tray.class), ReferenceResolver.NONE).read(watched);
    assertThat(MADE).hasValue(2);
  }

  @Test
  void noClassOfTheJdkIsMadeByItsName() {
    assertThatThrownBy(() -> valueCodec.read(object("java.lang.Object")))
        .isInstanceOf(UnreadableException.class)
        .hasMessageContaining("java.lang.Object");
    assertThatThrownBy(() -> valueCodec.read(object("java.util.Random")))
        .isInstanceOf(UnreadableException.class);
  }

  @Test
  void aConstructorThatRefusesIsTold() {
    byte[] bytes = valueCodec.write(new Failing(1));

    assertThatThrownBy(() -> valueCodec.read(bytes))
        .isInstanceOf(UnreadableException.class)
        .hasMessageContaining("constructor of")
        .hasRootCauseMessage("not today");
  }

  private AbstractThrowableAssert<?, ?> refused(Object value) {
    return assertThatThrownBy(() -> valueCodec.write(value))
        .isInstanceOf(NotWritableException.class);
  }

  private static Node chain(int length) {
    Node first = null;
    for (int i = 0; i < length; i++) {
      Node node = new Node("" + i);
      node.next = first;
      first = node;
    }
    return first;
  }

  private static Set<Class<?>> with(Class<?>[] some, Class<?>... more) {
    Set<Class<?>> all = new HashSet<>(Set.of(some));
    all.addAll(List.of(more));
    return all;
  }

  static byte[] replaced(byte[] bytes, String what, String by) {
    Charset latin = StandardCharsets.ISO_8859_1;
    return new String(bytes, latin).replace(what, by).getBytes(latin);
  }

  /** An object without fields, of any class. */
  private static byte[] object(String name) {
    ValueOutput out = new ValueOutput();
    out.octet(TypeTag.FORMAT);
    out.octet(TypeTag.OBJECT);
    out.number(0);
    out.text(name);
    out.number(0);
    return out.toBytes();
  }

  static final class Unknown {}

  final class Inner {}

  static final class NoConstructor {
    NoConstructor(int unused) {}
  }

  static final class Grown extends ArrayList<String> {}

  abstract static class Abstract {}

  static final class Trap {}

  static final class Tray {
    static {
      MADE.incrementAndGet();
    }

    Tray() {
      MADE.incrementAndGet();
    }
  }

  static final class Failing {
    Failing() {
      throw new IllegalStateException("not today");
    }

    Failing(int unused) {}
  }
}
