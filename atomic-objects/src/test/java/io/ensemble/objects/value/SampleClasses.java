package io.ensemble.objects.value;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/** Classes as users write them. */
final class SampleClasses {

  static final Class<?>[] ALL = {
    Counter.class, Node.class, Line.class, Order.class, Named.class, Hidden.class, Hiding.class,
    Color.class, Planet.class, Pair.class, Row.class, Ring.class, Point.class, Bag.class
  };

  private SampleClasses() {}

  static final class Counter {
    long count;

    Counter() {}

    Counter(long count) {
      this.count = count;
    }
  }

  static final class Node {
    String name = "";
    Object next;
    transient String forgotten = "here";

    private Node() {}

    Node(String name) {
      this.name = name;
      this.forgotten = "changed";
    }
  }

  enum Color {
    RED,
    GREEN
  }

  enum Planet {
    EARTH {
      @Override
      int moons() {
        return 1;
      }
    };

    abstract int moons();
  }

  record Line(String article, int quantity, double price, Color color) {}

  static final class Order {
    private final int id;
    List<Object> lines = new ArrayList<>();
    Map<String, Object> notes = new HashMap<>();
    int[] sizes = {};

    private Order() {
      this(0);
    }

    Order(int id) {
      this.id = id;
    }

    int id() {
      return id;
    }
  }

  static class Hidden {
    int x;
  }

  static final class Hiding extends Hidden {
    int x;
  }

  record Pair(Object left, Object right) {}

  /** Equal by content; the content refers back to its container. */
  static final class Row {
    Ring ring;
    String name;

    Row() {}

    Row(Ring ring, String name) {
      this.ring = ring;
      this.name = name;
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Row row && ring.name.equals(row.ring.name) && name.equals(row.name);
    }

    @Override
    public int hashCode() {
      return Objects.hash(ring.name, name);
    }
  }

  static final class Ring {
    Set<Row> rows;
    String name;
  }

  record Point(int x, int y) implements Comparable<Point> {
    Point {
      if (x < 0) {
        throw new IllegalArgumentException("x is negative");
      }
    }

    @Override
    public int compareTo(Point other) {
      return Integer.compare(x, other.x);
    }
  }

  static final class Named {
    final String name = Arrays.asList("a").get(0);
  }

  record Bag(Set<Object> things) {
    Bag {
      things = Set.copyOf(things);
    }
  }
}
