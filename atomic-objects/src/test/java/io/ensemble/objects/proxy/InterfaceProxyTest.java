package io.ensemble.objects.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.objects.NestedCallException;
import io.ensemble.objects.ObjectType;
import io.ensemble.objects.ReadOnly;
import io.ensemble.objects.RemoteMethodException;
import io.ensemble.objects.value.NotWritableException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Proxies of interfaces, and objects that refer to others. */
class InterfaceProxyTest {

  interface Shelf<V> {
    void put(V value);

    V last();

    @ReadOnly
    List<V> all();

    default int size() {
      return all().size();
    }

    static int unrelated() {
      return 7;
    }
  }

  interface Texts extends Shelf<String> {
    @Override
    void put(String value);

    Texts clear();

    Object keep(Object any);
  }

  static class Listed implements Texts {
    private final List<String> values = new ArrayList<>();
    private Object kept;
    private final int limit = 100;

    @Override
    public void put(String value) {
      if (values.size() == limit) {
        throw new IllegalStateException("full");
      }
      values.add(value);
    }

    @Override
    @ReadOnly
    public String last() {
      return values.isEmpty() ? null : values.get(values.size() - 1);
    }

    @Override
    public List<String> all() {
      return values;
    }

    @Override
    public Texts clear() {
      values.clear();
      return this;
    }

    @Override
    public Object keep(Object any) {
      kept = any;
      return kept;
    }
  }

  private final LocalObjects localObjects = new LocalObjects();
  private final Texts texts = localObjects.open(ObjectType.of(Texts.class, Listed::new), "texts");

  @Test
  void callsReachTheStateByWhateverNameTheyHave() {
    Shelf<String> shelf = texts;

    shelf.put("a");
    texts.put("b");

    assertThat(texts.all()).containsExactly("a", "b");
    assertThat(shelf.last()).isEqualTo("b");
    assertThat(LocalObjects.local(texts).calls()).containsExactly(false, false, true, true);
  }

  @Test
  void defaultMethodsRunOnTheState() {
    texts.put("a");

    assertThat(texts.size()).isEqualTo(1);
    assertThat(LocalObjects.local(texts).calls()).hasSize(2);
    assertThat(Shelf.unrelated()).isEqualTo(7);
  }

  @Test
  void whatIsReturnedIsACopy() {
    texts.put("a");

    texts.all().clear();

    assertThat(texts.all()).containsExactly("a");
  }

  @Test
  void nothingIsReturnedAsNull() {
    assertThat(texts.last()).isNull();
    assertThat(texts.keep(null)).isNull();
  }

  @Test
  void itselfComesBackAsTheProxy() {
    texts.put("a");

    assertThat(texts.clear()).isSameAs(texts);
    assertThat(texts.size()).isZero();
  }

  @Test
  void anArgumentThatCannotBeWrittenIsToldAtOnce() {
    assertThatThrownBy(() -> texts.keep(new Thread())).isInstanceOf(NotWritableException.class);
    assertThat(LocalObjects.local(texts).calls()).isEmpty();
  }

  @Test
  void objectsOwnMethodsAreAboutTheProxy() {
    Texts other = localObjects.open(ObjectType.of(Texts.class, Listed::new), "other");
    Texts elsewhere = new LocalObjects().open(ObjectType.of(Texts.class, Listed::new), "texts");

    assertThat(texts).hasToString("Texts[texts]").isEqualTo(texts).isNotEqualTo(other);
    assertThat(texts).isNotEqualTo(elsewhere).hasSameHashCodeAs(elsewhere);
    assertThat(LocalObjects.local(texts).calls()).isEmpty();
  }

  @Test
  void javasOwnInterfacesAreFaces() {
    @SuppressWarnings("unchecked")
    Map<String, Integer> map = localObjects.open(ObjectType.of(Map.class, TreeMap::new), "map");

    map.put("a", 1);
    map.putAll(Map.of("b", 2));

    assertThat(map.get("a")).isEqualTo(1);
    assertThat(map.getOrDefault("c", 3)).isEqualTo(3);
    assertThat(map.size()).isEqualTo(2);
  }

  interface Registry {
    void set(Texts value);

    Texts get();

    int sizeOf();

    String describe();
  }

  static class Known implements Registry {
    private Texts value;

    @Override
    public void set(Texts value) {
      this.value = value;
    }

    @Override
    public Texts get() {
      return value;
    }

    @Override
    public int sizeOf() {
      return value.size();
    }

    @Override
    public String describe() {
      return value + " " + value.equals((Object) this) + " " + Set.of(value).contains(value);
    }
  }

  @Test
  void anObjectKeepsAReferenceToAnother() {
    Registry registry = localObjects.open(ObjectType.of(Registry.class, Known::new), "registry");

    registry.set(texts);

    assertThat(registry.get()).isEqualTo(texts);
    registry.get().put("a");
    assertThat(texts.size()).isEqualTo(1);
  }

  @Test
  void aMethodThatCallsAnotherObjectIsRefused() {
    Registry registry = localObjects.open(ObjectType.of(Registry.class, Known::new), "registry");
    registry.set(texts);

    assertThatThrownBy(registry::sizeOf)
        .isInstanceOf(NestedCallException.class)
        .hasMessageContaining("a method of an atomic object must not call another one")
        .hasMessageContaining("sizeOf() calls Texts[texts].size")
        .hasCauseInstanceOf(RemoteMethodException.class);
    assertThat(LocalObjects.local(texts).calls()).isEmpty();
    assertThat(texts.size()).isZero();
  }

  @Test
  void whatIsAboutAnotherProxyIsNoCall() {
    Registry registry = localObjects.open(ObjectType.of(Registry.class, Known::new), "registry");
    registry.set(texts);

    assertThat(registry.describe()).isEqualTo("Texts[texts] false true");
  }
}
