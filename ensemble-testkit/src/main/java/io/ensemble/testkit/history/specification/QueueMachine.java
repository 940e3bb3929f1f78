package io.ensemble.testkit.history.specification;

import com.fasterxml.jackson.databind.JsonNode;
import io.ensemble.testkit.history.HistoryOperation;
import io.ensemble.testkit.history.HistoryOutcome;
import io.ensemble.testkit.history.SequentialModel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A queue whose values are numbered. The number {@value #UNSEEN} is every value that no completed
 * dequeue returns, because no operation can distinguish these; each other value has its own number.
 *
 * <p>The order of two concurrent enqueues shows only when the values are dequeued; by then a search
 * with the wrong choice has gone far. So an enqueue is refused as soon as it comes too early: see
 * {@link DequeueOrder}.
 */
final class QueueMachine implements SequentialModel.Machine {
  private static final int UNSEEN = 0;
  private static final int MOST_TOLD = 8;

  private enum Kind {
    ENQUEUE,
    DEQUEUE,
    SIZE
  }

  /** The content of a queue, first to last. */
  private record QueueContent(int[] values) {
    @Override
    public boolean equals(Object other) {
      return other instanceof QueueContent that && Arrays.equals(values, that.values);
    }

    @Override
    public int hashCode() {
      return Arrays.hashCode(values);
    }

    int unseen() {
      int count = 0;
      for (int value : values) {
        count += value == UNSEEN ? 1 : 0;
      }
      return count;
    }
  }

  private final Kind[] kind;

  /** The value enqueued or dequeued, or the size seen. */
  private final int[] number;

  private final boolean[] empty;
  private final boolean[] unknown;
  private final List<String> valueTexts = new ArrayList<>(List.of("a value that was not dequeued"));
  private final DequeueOrder order;
  private final List<QueueContent> contents = new ArrayList<>();
  private final Map<QueueContent, Integer> numbers = new HashMap<>();

  QueueMachine(List<HistoryOperation> operations) {
    int n = operations.size();
    kind = new Kind[n];
    number = new int[n];
    empty = new boolean[n];
    unknown = new boolean[n];
    Map<JsonNode, Integer> values = new HashMap<>();
    for (int i = 0; i < n; i++) {
      HistoryOperation operation = operations.get(i);
      unknown[i] = operation.outcome() == HistoryOutcome.UNKNOWN;
      switch (operation.op()) {
        case "dequeue" -> {
          kind[i] = Kind.DEQUEUE;
          empty[i] = operation.out().isNull();
          number[i] =
              unknown[i] || empty[i]
                  ? UNSEEN
                  : values.computeIfAbsent(operation.out(), this::newNumber);
        }
        case "size" -> {
          kind[i] = Kind.SIZE;
          number[i] = operation.out().intValue();
        }
        default -> kind[i] = Kind.ENQUEUE;
      }
    }
    for (int i = 0; i < n; i++) {
      if (kind[i] == Kind.ENQUEUE) {
        number[i] = values.getOrDefault(operations.get(i).in(), UNSEEN);
      }
    }
    order = takingOrder(operations);
  }

  private int newNumber(JsonNode value) {
    valueTexts.add(value.toString());
    return valueTexts.size() - 1;
  }

  private DequeueOrder takingOrder(List<HistoryOperation> operations) {
    DequeueOrder.Builder builder = new DequeueOrder.Builder(valueTexts.size());
    for (int i = 0; i < kind.length; i++) {
      if (kind[i] == Kind.ENQUEUE) {
        builder.put(number[i]);
      } else if (kind[i] == Kind.DEQUEUE && number[i] != UNSEEN) {
        builder.taken(number[i], operations.get(i).callNanos(), operations.get(i).lastNanos());
      } else if (kind[i] == Kind.DEQUEUE && unknown[i]) {
        builder.takenUnknown(operations.get(i).callNanos());
      }
    }
    return builder.build();
  }

  @Override
  public int initial() {
    return intern(new QueueContent(new int[0]));
  }

  private int intern(QueueContent content) {
    return numbers.computeIfAbsent(
        content,
        fresh -> {
          contents.add(fresh);
          return contents.size() - 1;
        });
  }

  @Override
  public int step(int state, int operation) {
    int[] values = contents.get(state).values();
    return switch (kind[operation]) {
      case SIZE -> values.length == number[operation] ? state : IMPOSSIBLE;
      case ENQUEUE -> enqueue(contents.get(state), number[operation]);
      case DEQUEUE -> {
        if (values.length == 0) {
          yield unknown[operation] || empty[operation] ? state : IMPOSSIBLE;
        }
        boolean fits =
            unknown[operation]
                ? !order.isAwaited(values[0])
                : !empty[operation] && values[0] == number[operation];
        yield fits
            ? intern(new QueueContent(Arrays.copyOfRange(values, 1, values.length)))
            : IMPOSSIBLE;
      }
    };
  }

  private int enqueue(QueueContent content, int value) {
    if (!order.allows(value, content.unseen())) {
      return IMPOSSIBLE;
    }
    int[] longer = Arrays.copyOf(content.values(), content.values().length + 1);
    longer[longer.length - 1] = value;
    return intern(new QueueContent(longer));
  }

  @Override
  public boolean changesNothing(int operation) {
    return kind[operation] == Kind.SIZE || (kind[operation] == Kind.DEQUEUE && empty[operation]);
  }

  @Override
  public int sameness(int operation) {
    return kind[operation] == Kind.DEQUEUE ? valueTexts.size() : number[operation];
  }

  @Override
  public int samenesses() {
    return valueTexts.size() + 1;
  }

  @Override
  public void took(int operation) {
    count(operation, true);
  }

  @Override
  public void untook(int operation) {
    count(operation, false);
  }

  private void count(int operation, boolean taken) {
    if (kind[operation] == Kind.ENQUEUE) {
      order.put(number[operation], taken);
    } else if (kind[operation] == Kind.DEQUEUE && unknown[operation]) {
      order.tookUnknown(taken);
    }
  }

  @Override
  public String describe(int state) {
    int[] values = contents.get(state).values();
    if (values.length == 0) {
      return "nothing";
    }
    String first =
        IntStream.of(values)
            .limit(MOST_TOLD)
            .mapToObj(valueTexts::get)
            .collect(Collectors.joining(", ", "[", ""));
    return first + (values.length > MOST_TOLD ? ", … " + values.length + " in all]" : "]");
  }
}
