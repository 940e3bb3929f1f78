package io.ensemble.cli.option;

import io.ensemble.EnsembleCacheManager;
import io.ensemble.EnsembleCacheManagerBuilder;
import io.ensemble.check.federation.FederationConnection;
import io.ensemble.check.federation.FederationDescriptor;
import io.ensemble.check.federation.FederationFile;
import io.ensemble.check.federation.SiteDescriptor;
import io.ensemble.check.federation.SitesInCatalog;
import io.ensemble.check.process.CommandException;
import io.ensemble.check.process.ExitCode;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;

/** The federation of a command. */
public final class FederationOption {

  /** The environment variable that names a catalog. */
  static final String VARIABLE = "ENSEMBLE_CATALOG";

  @Option(
      names = "--federation",
      paramLabel = "FILE",
      description =
          "File that describes a running federation, or your own sites (docs/security.md); "
              + "default: $ENSEMBLE_FEDERATION, otherwise ~/.ensemble/federation.json.")
  @Nullable Path given;

  @Option(
      names = "--catalog",
      paramLabel = "ADDRESS",
      description =
          "Catalog of the sites and caches, instead of a file: zk://host:port,.../path, or a "
              + "directory; default: $$ENSEMBLE_CATALOG.")
  @Nullable String catalog;

  /** The catalog that the option or the variable names, if any. */
  Optional<String> catalog() {
    if (catalog != null && given != null) {
      throw new CommandException(ExitCode.USAGE, "--catalog excludes --federation");
    }
    String named = catalog != null || given != null ? catalog : System.getenv(VARIABLE);
    return Optional.ofNullable(named).filter(address -> !address.isBlank());
  }

  /**
   * The running federation.
   *
   * @throws CommandException if there is none
   */
  public FederationDescriptor state() {
    return catalog().map(SitesInCatalog::state).orElseGet(() -> file().read());
  }

  public FederationFile file() {
    return FederationFile.choose(given, System.getenv(FederationFile.VARIABLE));
  }

  /** Whether a catalog is named, rather than a file. */
  public boolean isCatalogNamed() {
    return catalog().isPresent();
  }

  /** Whether a federation is named, by the option or by the variable. */
  public boolean isNamed() {
    return catalog().isPresent() || given != null || System.getenv(FederationFile.VARIABLE) != null;
  }

  /**
   * The running federation, for a command that may also start its own.
   *
   * @param ofItsOwn the options for a federation of its own, of which none may be given now
   */
  public FederationDescriptor running(CommandSpec command, List<String> ofItsOwn) {
    for (String own : ofItsOwn) {
      if (command.commandLine().getParseResult().hasMatchedOption(own)) {
        throw new CommandException(
            ExitCode.USAGE,
            own
                + " requires a temporary federation; this run uses "
                + catalog().orElseGet(() -> file().path().toString()));
      }
    }
    FederationDescriptor running = state();
    running.sites().forEach(SiteDescriptor::configuration); // Reports an invalid site here.
    return running;
  }

  /** The address of the catalog. */
  public String address() {
    return catalog().orElseGet(() -> file().read().catalog());
  }

  /**
   * A manager of the sites and caches in the catalog.
   *
   * @throws CommandException if there is none
   */
  public EnsembleCacheManager existingManager() {
    SitesInCatalog.requireSites(address());
    return manager();
  }

  /** A manager of the sites and caches in the catalog, which is created if it does not exist. */
  public EnsembleCacheManager manager() {
    return EnsembleCacheManager.builder().catalog(address()).build();
  }

  /**
   * A builder for a manager of the running federation, or of a catalog, which may have no site yet.
   *
   * @throws CommandException if there is no such federation, or the catalog cannot be read
   */
  public EnsembleCacheManagerBuilder describe() {
    if (catalog().isPresent()) {
      SitesInCatalog.entries(address()); // Reports errors of the catalog here.
      return EnsembleCacheManager.builder().catalog(address());
    }
    FederationDescriptor state = file().read();
    return (state.pid() == 0
            ? FederationConnection.builder(state.sites())
            : EnsembleCacheManager.builder())
        .catalog(state.catalog());
  }

  /** As the other method, without a local site. */
  public FederationConnection connect() {
    return connect(null);
  }

  /**
   * For commands that work on an existing catalog.
   *
   * @param localSite the site that WEAK caches use first; null for none
   * @throws CommandException if there is no catalog
   */
  public FederationConnection connect(@Nullable String localSite) {
    SitesInCatalog.requireSites(address());
    return connectOrCreate(localSite);
  }

  /** As the other method, for commands that open a cache that may be private. */
  public FederationConnection connect(
      @Nullable String localSite, KeysetOption keyset, String cache) {
    SitesInCatalog.requireSites(address());
    return connectOrCreate(localSite, keyset, cache);
  }

  /** As the other method, for a process that may record its operations. */
  public FederationConnection connect(
      @Nullable String localSite, KeysetOption keyset, String cache, HeatOption heat) {
    SitesInCatalog.requireSites(address());
    return connectOrCreate(localSite, builder -> heat.addTo(keyset.addTo(builder, cache)));
  }

  /** As the other method; if a file describes the sites, their catalog is created if necessary. */
  public FederationConnection connectOrCreate(@Nullable String localSite) {
    return connectOrCreate(localSite, UnaryOperator.identity());
  }

  /** As the other method, for commands that open a cache that may be private. */
  public FederationConnection connectOrCreate(
      @Nullable String localSite, KeysetOption keyset, String cache) {
    return connectOrCreate(localSite, builder -> keyset.addTo(builder, cache));
  }

  private FederationConnection connectOrCreate(
      @Nullable String localSite, UnaryOperator<EnsembleCacheManagerBuilder> more) {
    return catalog().isPresent()
        ? FederationConnection.inCatalog(state(), localSite, more)
        : FederationConnection.connect(state(), localSite, more);
  }
}
