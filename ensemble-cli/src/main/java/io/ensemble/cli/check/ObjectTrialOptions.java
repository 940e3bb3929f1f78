package io.ensemble.cli.check;

import io.ensemble.check.federation.LocalPlan;
import io.ensemble.check.objects.ObjectStoreKind;
import io.ensemble.check.process.CommandException;
import io.ensemble.check.process.ExitCode;
import io.ensemble.check.workload.RegisterKind;
import io.ensemble.check.workload.TrialSubject;
import io.ensemble.check.workload.VersionedKind;
import io.ensemble.cli.option.FederationSizeOptions;
import io.ensemble.versioning.IndexType;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** The atomic objects under test, and their store. */
final class ObjectTrialOptions {
  private static final List<String> OF_CACHES =
      List.of(
          "--mode",
          "--ack",
          "--shards",
          "--near",
          "--listen",
          "--listeners",
          "--only-check",
          "--federation",
          "--catalog");
  private static final List<String> OF_OBJECTS = List.of("--store", "--stored");

  @Option(
      names = "--object",
      paramLabel = "KIND",
      converter = SubjectConverter.class,
      completionCandidates = SubjectCandidates.class,
      description =
          "${COMPLETION-CANDIDATES}: test objects of this kind, instead of a mode, on temporary "
              + "sites. REGISTER-COUNTER and SET-AGREEMENT are objects from registers.")
  @Nullable TrialSubject kind;

  @Option(
      names = "--versioned",
      paramLabel = "INDEX",
      description =
          "${COMPLETION-CANDIDATES}, case-insensitive: test a versioned cache with this index; its "
              + "keys take the place of objects.")
  @Nullable IndexType versioned;

  @Option(
      names = "--store",
      paramLabel = "STORE",
      description =
          "Store of the objects: ${COMPLETION-CANDIDATES}, case-insensitive; default: HOTROD, one "
              + "site. EMBEDDED makes the client processes nodes of a cluster; ENSEMBLE is an MWMR "
              + "cache.")
  @Nullable ObjectStoreKind store;

  @Option(
      names = "--stored",
      description =
          "Store states in separate entries, with the calls since, regardless of their size.")
  boolean stored;

  /** Whether the options request a trial of objects; refuses options that contradict it. */
  boolean areWanted(CommandSpec command) {
    if (kind != null && versioned != null) {
      throw usage("--versioned excludes --object");
    }
    boolean wanted = kind != null || versioned != null;
    String own = kind == null && versioned != null ? "--versioned" : "--object";
    for (String other : wanted ? OF_CACHES : OF_OBJECTS) {
      if (isTyped(command, other)) {
        throw usage(
            wanted
                ? other + " excludes " + own + ", which tests objects on temporary sites"
                : other + " requires --object or --versioned");
      }
    }
    return wanted;
  }

  /** The subject of the trial, if {@link #areWanted}. */
  TrialSubject subject() {
    return versioned != null
        ? new VersionedKind(versioned)
        : Objects.requireNonNull(kind, "a kind of objects");
  }

  ObjectStoreKind store() {
    ObjectStoreKind usual =
        kind instanceof RegisterKind ? ObjectStoreKind.ENSEMBLE : ObjectStoreKind.HOTROD;
    return store == null ? usual : store;
  }

  /** The sites to start; none for objects in the client processes themselves. */
  LocalPlan plan(CommandSpec command, FederationSizeOptions counts, LocalPlan typed) {
    boolean isOne = store() != ObjectStoreKind.ENSEMBLE;
    if (isOne && isTyped(command, "--sites")) {
      throw usage("--sites requires --store ensemble; got --store " + store().word());
    }
    if (store() == ObjectStoreKind.EMBEDDED) {
      for (String ofSites : List.of("--nodes", "--processes", "--latency", "--bandwidth")) {
        if (isTyped(command, ofSites)) {
          throw usage(ofSites + " requires sites, but --store embedded has none");
        }
      }
    } else {
      counts.requireStrongSites(store().word(), isOne ? 1 : counts.sites);
    }
    return isOne
        ? new LocalPlan(1, typed.nodes(), typed.wan(), typed.processes(), typed.data())
        : typed;
  }

  private static boolean isTyped(CommandSpec command, String option) {
    return command.commandLine().getParseResult().hasMatchedOption(option);
  }

  private static CommandException usage(String line) {
    return new CommandException(ExitCode.USAGE, line);
  }

  /** The kinds of objects, as they are typed. */
  static final class SubjectCandidates implements Iterable<String> {
    @Override
    public Iterator<String> iterator() {
      return TrialSubject.objects().map(kind -> kind.word().toUpperCase(Locale.ROOT)).iterator();
    }
  }

  /** Reads the kind of objects. */
  static final class SubjectConverter implements ITypeConverter<TrialSubject> {
    @Override
    public TrialSubject convert(String typed) {
      return TrialSubject.objects()
          .filter(kind -> kind.word().equalsIgnoreCase(typed))
          .findFirst()
          .orElseThrow(
              () ->
                  new TypeConversionException(
                      "expected one of %s (case-insensitive) but was '%s'"
                          .formatted(String.join(", ", new SubjectCandidates()), typed)));
    }
  }
}
