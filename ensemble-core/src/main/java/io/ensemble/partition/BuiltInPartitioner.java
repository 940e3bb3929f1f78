package io.ensemble.partition;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiFunction;

/** A partitioner that is part of Ensemble. */
record BuiltInPartitioner(
    String name, BiFunction<Map<String, String>, List<String>, Partitioner> factory)
    implements PartitionerProvider {

  static final List<PartitionerProvider> ALL =
      List.of(
          new BuiltInPartitioner("modulo", BuiltInPartitioner::modulo),
          new BuiltInPartitioner("rendezvous", BuiltInPartitioner::rendezvous),
          new BuiltInPartitioner("uniform", BuiltInPartitioner::uniform),
          new BuiltInPartitioner("label", BuiltInPartitioner::label));

  @Override
  public Partitioner partitioner(Map<String, String> settings, List<String> parts) {
    return factory.apply(settings, parts);
  }

  private static Partitioner modulo(Map<String, String> settings, List<String> parts) {
    PartitionerSettings.only(settings, Set.of());
    return new ModuloPartitioner(parts.size());
  }

  private static Partitioner rendezvous(Map<String, String> settings, List<String> parts) {
    PartitionerSettings.only(settings, Set.of());
    return new RendezvousPartitioner(parts);
  }

  /**
   * Rendezvous over the first group of a regular expression, so that the groups are uniformly
   * distributed.
   */
  private static Partitioner uniform(Map<String, String> settings, List<String> parts) {
    PartitionerSettings.only(settings, Set.of(LabelPartitioner.PATTERN));
    return new GroupPartitioner(
        GroupPattern.compile(PartitionerSettings.needed(settings, LabelPartitioner.PATTERN)),
        new RendezvousPartitioner(parts));
  }

  private static Partitioner label(Map<String, String> settings, List<String> parts) {
    Set<String> known = new TreeSet<>(Set.of(LabelPartitioner.PATTERN, LabelPartitioner.OTHERWISE));
    parts.forEach(part -> known.add(LabelPartitioner.LABEL + part));
    PartitionerSettings.only(settings, known);
    return new LabelPartitioner(settings, parts);
  }
}
