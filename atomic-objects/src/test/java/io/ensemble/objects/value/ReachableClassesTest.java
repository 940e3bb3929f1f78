package io.ensemble.objects.value;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Classes that are reachable from a class need no declaration. */
class ReachableClassesTest {

  private static final AtomicInteger INITIALISED = new AtomicInteger();

  @Test
  void allThatTheRootLeadsToIsFound() {
    assertThat(ReachableClasses.from(Root.class))
        .containsExactlyInAnyOrder(
            Root.class,
            Base.class,
            OfBase.class,
            Field.class,
            Deep.class,
            InArray.class,
            Argument.class,
            Bound.class,
            Parameter.class,
            Result.class,
            Shape.class,
            Circle.class,
            Square.class,
            Kind.class,
            Kind.SECOND.getClass(),
            Row.class,
            OfRow.class,
            Open.class);
  }

  @Test
  void nothingIsInitialised() {
    assertThat(ReachableClasses.from(Root.class)).contains(Deep.class);

    assertThat(INITIALISED).hasValue(0);
  }

  @Test
  void theClassesOfTheJdkAreLeftOut() {
    assertThat(ReachableClasses.from(String.class, ArrayList.class)).isEmpty();
  }

  static class Base<T> {
    private OfBase inherited;
    protected T value;
  }

  static final class OfBase {}

  abstract static class Root extends Base<Field> {
    private Map<String, ? super InArray[][]> hidden;
    static NotMet shared;
    transient NotMet cached;

    public abstract <B extends Bound> List<Result> answer(Callable<B> argument, Parameter given)
        throws Failure;

    public abstract void take(List<? extends Argument> some, Shape shape, Open open);

    abstract NotMet notPublic();

    public static NotMet notOfTheObject() {
      return shared;
    }
  }

  static final class Field {
    Deep deep;
    Root back;
  }

  static final class Deep {
    static {
      INITIALISED.incrementAndGet();
    }

    Kind kind;
    Row row;

    public NotMet methodsOfOthersAreNotFollowed() {
      return new NotMet();
    }
  }

  static final class InArray {}

  static final class Argument {}

  interface Bound {}

  static final class Parameter {}

  static final class Result {}

  sealed interface Shape permits Circle, Square {}

  static final class Circle implements Shape {}

  static final class Square implements Shape {}

  enum Kind {
    FIRST,
    SECOND {
      @Override
      public String toString() {
        return "2";
      }
    }
  }

  record Row(OfRow row) {}

  static final class OfRow {}

  interface Open {}

  static final class NotMet implements Open {}

  static final class Failure extends Exception {}
}
