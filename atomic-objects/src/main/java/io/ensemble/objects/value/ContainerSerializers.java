package io.ensemble.objects.value;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Hashtable;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.Stack;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.Vector;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CopyOnWriteArraySet;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The collections and maps of the JDK. The numbers here are part of the format. */
final class ContainerSerializers {

  private static final Map<Class<?>, ValueSerializer> BY_TYPE = new HashMap<>();
  private static final @Nullable ValueSerializer[] BY_TAG = new ValueSerializer[TypeTag.END];

  static final CollectionSerializer UNMODIFIABLE_LIST =
      pile(0, ContainerSerializers::unmodifiableList, false, false);
  static final CollectionSerializer UNMODIFIABLE_SET =
      pile(1, ContainerSerializers::unmodifiableSet, true, true);
  static final CollectionSerializer CONCURRENT_SET =
      pile(2, () -> plain(ConcurrentHashMap.<Object>newKeySet()), true, true);
  static final MapSerializer UNMODIFIABLE_MAP =
      add(null, new MapSerializer(TypeTag.TABLES, order -> unmodifiableMap(), null, true));

  static {
    lists(3, ArrayList.class, ArrayList::new);
    lists(4, LinkedList.class, LinkedList::new);
    lists(5, ArrayDeque.class, ArrayDeque::new);
    lists(6, Vector.class, Vector::new);
    lists(7, Stack.class, Stack::new);
    // All elements in one call, as adding them one by one would copy the array for each.
    sets(8, CopyOnWriteArrayList.class, CopyOnWriteArrayList::new, false);
    lists(9, ConcurrentLinkedQueue.class, ConcurrentLinkedQueue::new);
    lists(10, ConcurrentLinkedDeque.class, ConcurrentLinkedDeque::new);
    sets(11, HashSet.class, HashSet::new, true);
    sets(12, LinkedHashSet.class, LinkedHashSet::new, false);
    sets(13, CopyOnWriteArraySet.class, CopyOnWriteArraySet::new, false);
    sorted(14, TreeSet.class, TreeSet::new, pile -> ((SortedSet<?>) pile).comparator());
    sorted(
        15,
        ConcurrentSkipListSet.class,
        ConcurrentSkipListSet::new,
        pile -> ((SortedSet<?>) pile).comparator());
    // The elements are in the order of the heap; adding them in this order restores the same heap.
    sorted(
        16,
        PriorityQueue.class,
        PriorityQueue::new,
        pile -> ((PriorityQueue<?>) pile).comparator());

    maps(1, HashMap.class, HashMap::new, true);
    maps(2, LinkedHashMap.class, LinkedHashMap::new, false);
    maps(3, ConcurrentHashMap.class, ConcurrentHashMap::new, true);
    maps(4, Hashtable.class, Hashtable::new, true);
    sortedMaps(5, TreeMap.class, TreeMap::new);
    sortedMaps(6, ConcurrentSkipListMap.class, ConcurrentSkipListMap::new);
  }

  private ContainerSerializers() {}

  static @Nullable ValueSerializer of(Class<?> type) {
    return BY_TYPE.get(type);
  }

  static @Nullable ValueSerializer tagged(int tag) {
    return tag < BY_TAG.length ? BY_TAG[tag] : null;
  }

  private static CollectionSerializer.Made unmodifiableList() {
    List<@Nullable Object> inside = new ArrayList<>();
    return new CollectionSerializer.Made(inside, Collections.unmodifiableList(inside));
  }

  private static CollectionSerializer.Made unmodifiableSet() {
    Set<@Nullable Object> inside = new LinkedHashSet<>();
    return new CollectionSerializer.Made(inside, Collections.unmodifiableSet(inside));
  }

  private static MapSerializer.Made unmodifiableMap() {
    Map<@Nullable Object, @Nullable Object> inside = new LinkedHashMap<>();
    return new MapSerializer.Made(inside, Collections.unmodifiableMap(inside));
  }

  private static CollectionSerializer.Made plain(Collection<@Nullable Object> pile) {
    return new CollectionSerializer.Made(pile, pile);
  }

  private static MapSerializer.Made plain(Map<@Nullable Object, @Nullable Object> table) {
    return new MapSerializer.Made(table, table);
  }

  private static void lists(
      int number, Class<?> type, Supplier<Collection<@Nullable Object>> maker) {
    BY_TYPE.put(type, pile(number, () -> plain(maker.get()), false, false));
  }

  private static void sets(
      int number, Class<?> type, Supplier<Collection<@Nullable Object>> maker, boolean unordered) {
    BY_TYPE.put(type, pile(number, () -> plain(maker.get()), true, unordered));
  }

  private static void sorted(
      int number,
      Class<?> type,
      Function<@Nullable Comparator<Object>, Collection<@Nullable Object>> maker,
      Function<Collection<?>, @Nullable Comparator<?>> order) {
    CollectionSerializer.Maker made = comparator -> plain(maker.apply(comparator));
    add(type, new CollectionSerializer(TypeTag.PILES + number, made, order, true, false));
  }

  private static void maps(
      int number,
      Class<?> type,
      Supplier<Map<@Nullable Object, @Nullable Object>> maker,
      boolean unordered) {
    MapSerializer.Maker made = order -> plain(maker.get());
    add(type, new MapSerializer(TypeTag.TABLES + number, made, null, unordered));
  }

  private static void sortedMaps(
      int number,
      Class<?> type,
      Function<@Nullable Comparator<Object>, Map<@Nullable Object, @Nullable Object>> maker) {
    MapSerializer.Maker made = comparator -> plain(maker.apply(comparator));
    Function<Map<?, ?>, @Nullable Comparator<?>> order =
        table -> ((SortedMap<?, ?>) table).comparator();
    add(type, new MapSerializer(TypeTag.TABLES + number, made, order, false));
  }

  private static CollectionSerializer pile(
      int number, Supplier<CollectionSerializer.Made> maker, boolean looks, boolean unordered) {
    return add(
        null,
        new CollectionSerializer(
            TypeTag.PILES + number, order -> maker.get(), null, looks, unordered));
  }

  private static <P extends ValueSerializer> P add(@Nullable Class<?> type, P plan) {
    int tag =
        plan instanceof CollectionSerializer pile
            ? pile.tag()
            : ((MapSerializer) (ValueSerializer) plan).tag();
    BY_TAG[tag] = plan;
    if (type != null) {
      BY_TYPE.put(type, plan);
    }
    return plan;
  }
}
