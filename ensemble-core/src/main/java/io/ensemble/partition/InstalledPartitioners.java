package io.ensemble.partition;

import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;

/**
 * The available partitioners, by name: {@code modulo}, {@code rendezvous}, {@code uniform} (by the
 * first group of the setting {@code pattern}), {@code label} (settings {@code pattern}, {@code
 * label.PART} for each part, {@code otherwise}), and those that the operator has installed.
 * Immutable.
 *
 * <p>Each also takes the setting {@value #GROUP}, a pattern. The partitioner then receives the
 * first group of that pattern instead of the key, so that the keys of one group stay together.
 */
public final class InstalledPartitioners {

  /** The setting that every partitioner takes. */
  public static final String GROUP = "group";

  private final SortedMap<String, PartitionerProvider> providers = new TreeMap<>();

  private InstalledPartitioners(Iterable<PartitionerProvider> extensions) {
    BuiltInPartitioner.ALL.forEach(own -> providers.put(own.name(), own));
    for (PartitionerProvider extension : extensions) {
      String name = extension.name();
      if (!PartitionerSpec.NAME.matcher(name).matches() || providers.containsKey(name)) {
        throw new IllegalStateException(
            "an installed partitioner must have a unique and valid name; name=%s class=%s taken=%s"
                .formatted(name, extension.getClass().getName(), providers.keySet()));
      }
      providers.put(name, extension);
    }
  }

  /** Ensemble's own partitioners and {@code extensions}. */
  public static InstalledPartitioners with(List<PartitionerProvider> extensions) {
    return new InstalledPartitioners(extensions);
  }

  /**
   * Ensemble's own partitioners and those that {@code loader} finds as services.
   *
   * @throws IllegalStateException if one cannot be loaded, or has a name that is taken
   */
  public static InstalledPartitioners on(ClassLoader loader) {
    try {
      return new InstalledPartitioners(ServiceLoader.load(PartitionerProvider.class, loader));
    } catch (ServiceConfigurationError e) {
      throw new IllegalStateException(
          "an installed partitioner cannot be loaded: " + e.getMessage(), e);
    }
  }

  /** The names of the available partitioners. */
  public SortedSet<String> names() {
    return Collections.unmodifiableSortedSet(new java.util.TreeSet<>(providers.keySet()));
  }

  /**
   * The partitioner that {@code spec} describes. Its results are checked: an index outside the
   * parts fails with {@link IllegalStateException}.
   *
   * @param parts the names of the parts, each once, at least one
   * @throws UnknownPartitionerException if it is not installed
   * @throws IllegalArgumentException if its settings or the parts do not fit
   */
  public Partitioner partitioner(PartitionerSpec spec, List<String> parts) {
    if (parts.isEmpty() || new HashSet<>(parts).size() < parts.size()) {
      throw new IllegalArgumentException(
          "parts must be one or more, each listed once; parts=" + parts);
    }
    PartitionerProvider provider = providers.get(spec.name());
    if (provider == null) {
      throw new UnknownPartitionerException(spec.name(), names());
    }
    Map<String, String> settings = new TreeMap<>(spec.settings());
    String group = settings.remove(GROUP);
    Partitioner found =
        checked(
            spec.name(),
            provider.partitioner(Collections.unmodifiableMap(settings), List.copyOf(parts)),
            parts.size());
    return group == null ? found : new GroupPartitioner(GroupPattern.compile(group), found);
  }

  private static Partitioner checked(String name, Partitioner partitioner, int parts) {
    return key -> {
      int part = partitioner.part(key);
      if (part < 0 || part >= parts) {
        throw new IllegalStateException(
            "a partitioner must return the index of a part; partitioner=%s parts=%d got=%d"
                .formatted(name, parts, part));
      }
      return part;
    };
  }
}
