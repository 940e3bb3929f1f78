package io.ensemble.cli.locks;

import io.ensemble.EnsembleCache;
import io.ensemble.Mode;
import io.ensemble.check.federation.FederationConnection;
import io.ensemble.check.process.CommandException;
import io.ensemble.check.process.ExitCode;
import io.ensemble.cli.option.FederationOption;
import io.ensemble.objects.AtomicObjectException;
import io.ensemble.objects.AtomicObjectFactory;
import io.ensemble.objects.store.EnsembleObjectStore;
import io.ensemble.objects.sync.NamedLock;
import io.ensemble.objects.sync.Synchronizers;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** The lock of a command, and the connection to it. */
final class LockOptions {

  @Mixin FederationOption federation = new FederationOption();

  @Parameters(index = "0", paramLabel = "CACHE", description = "Name of the MWMR cache.")
  String cache = "";

  @Parameters(index = "1", paramLabel = "LOCK", description = "Name of the lock.")
  String lock = "";

  /** Calls the lock, which must exist. */
  <R> R call(Function<NamedLock, CompletionStage<R>> use) {
    try (FederationConnection connected = federation.connect()) {
      EnsembleCache<String, byte[]> entries = connected.cache(cache);
      if (entries.definition().mode() != Mode.MWMR) {
        throw new CommandException("locks require an MWMR cache; cache=%s".formatted(cache));
      }
      try (AtomicObjectFactory factory = AtomicObjectFactory.on(new EnsembleObjectStore(entries));
          NamedLock named = Synchronizers.on(factory).existing().namedLock(lock)) {
        return use.apply(named).toCompletableFuture().join();
      }
    } catch (CompletionException e) {
      throw failure(e.getCause() instanceof AtomicObjectException why ? why : null, e);
    } catch (AtomicObjectException e) {
      throw failure(e, e);
    }
  }

  private RuntimeException failure(@Nullable AtomicObjectException why, RuntimeException thrown) {
    if (why instanceof AtomicObjectException.NoSuchObject
        || why instanceof AtomicObjectException.OtherType) {
      return new CommandException("there is no lock '%s' on cache '%s'".formatted(lock, cache));
    }
    return why instanceof AtomicObjectException.CallUnknown
        ? new CommandException(
            ExitCode.UNKNOWN,
            "%s; './ensemble locks show' shows the result".formatted(why.getMessage()))
        : thrown;
  }
}
