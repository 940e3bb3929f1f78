package io.ensemble.jcache;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.jcache.CacheStep.Kind;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The step that the calls of an entry processor amount to. */
class ProcessedEntryTest {

  private static Arguments row(
      String present, String loads, Consumer<ProcessedEntry<String, String>> calls, Kind kind) {
    return Arguments.of(present, loads, calls, kind);
  }

  static Stream<Arguments> calls() {
    return Stream.of(
        row("v", null, entry -> {}, Kind.NONE),
        row("v", null, ProcessedEntry::exists, Kind.NONE),
        row("v", null, ProcessedEntry::getValue, Kind.ACCESS),
        row(null, null, ProcessedEntry::getValue, Kind.NONE),
        row(null, "l", ProcessedEntry::getValue, Kind.LOAD),
        row(null, "l", ProcessedEntry::exists, Kind.NONE),
        row("v", null, entry -> entry.setValue("w"), Kind.WRITE),
        row(null, "l", entry -> entry.setValue("w"), Kind.WRITE),
        row("v", null, ProcessedEntry::remove, Kind.REMOVE),
        row(null, null, ProcessedEntry::remove, Kind.REMOVE),
        row(null, null, both(entry -> entry.setValue("w"), ProcessedEntry::remove), Kind.NONE),
        row(null, "l", both(ProcessedEntry::getValue, ProcessedEntry::remove), Kind.NONE),
        row("v", null, both(entry -> entry.setValue("w"), ProcessedEntry::remove), Kind.REMOVE),
        row("v", null, both(ProcessedEntry::remove, entry -> entry.setValue("w")), Kind.WRITE));
  }

  private static Consumer<ProcessedEntry<String, String>> both(
      Consumer<ProcessedEntry<String, String>> one, Consumer<ProcessedEntry<String, String>> two) {
    return one.andThen(two);
  }

  @ParameterizedTest
  @MethodSource("calls")
  void callsAmountToAStep(
      String present, String loads, Consumer<ProcessedEntry<String, String>> calls, Kind kind) {
    ProcessedEntry<String, String> entry = new ProcessedEntry<>("k", present, () -> loads);

    calls.accept(entry);

    CacheStep<String, Integer> step = entry.step(7);
    assertThat(step.kind()).isEqualTo(kind);
    assertThat(step.result()).isEqualTo(7);
    assertThat(step.value()).isEqualTo(kind == Kind.WRITE ? "w" : kind == Kind.LOAD ? loads : null);
  }
}
