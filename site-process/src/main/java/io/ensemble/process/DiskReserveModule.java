package io.ensemble.process;

import java.io.File;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.infinispan.configuration.cache.Configuration;
import org.infinispan.configuration.global.GlobalConfiguration;
import org.infinispan.factories.ComponentRegistry;
import org.infinispan.factories.GlobalComponentRegistry;
import org.infinispan.factories.impl.BasicComponentRegistry;
import org.infinispan.factories.impl.ModuleMetadataBuilder;
import org.infinispan.interceptors.AsyncInterceptorChain;
import org.infinispan.lifecycle.ModuleLifecycle;
import org.infinispan.server.core.ProtocolServer;
import org.infinispan.server.core.ServerManagement;
import org.jspecify.annotations.Nullable;

/**
 * An Infinispan module, found on the class path. If the system property {@value #RESERVE} gives a
 * number of bytes, the node keeps that many bytes free on the disk of its entries. Without the
 * property, the server is unchanged.
 */
public final class DiskReserveModule implements ModuleMetadataBuilder, ModuleLifecycle {

  /** The system property with the number of bytes to keep free. */
  static final String RESERVE = "ensemble.disk.reserve";

  private @Nullable DiskReserve disk;
  private @Nullable DiskWatch watch;

  /** Called by Infinispan. */
  public DiskReserveModule() {}

  @Override
  public String getModuleName() {
    return "ensemble-disk-reserve";
  }

  @Override
  public Collection<String> getRequiredDependencies() {
    return List.of("core");
  }

  @Override
  public Collection<String> getOptionalDependencies() {
    return List.of();
  }

  @Override
  public ModuleLifecycle newModuleLifecycle() {
    return this;
  }

  @Override
  public void registerMetadata(ModuleBuilder builder) {
    // No components: the interceptors of this module use only injections that Infinispan already
    // has.
  }

  @Override
  public void cacheManagerStarting(GlobalComponentRegistry registry, GlobalConfiguration global) {
    Long reserve = Long.getLong(RESERVE);
    if (reserve == null || reserve <= 0) {
      return;
    }
    File data = new File(global.globalState().persistentLocation());
    DiskReserve watched = new DiskReserve(data, reserve);
    disk = watched;
    watch = new DiskWatch(watched, () -> servers(registry), data.getAbsoluteFile().getParentFile());
    watch.start();
  }

  private static Iterable<ProtocolServer<?>> servers(GlobalComponentRegistry registry) {
    ServerManagement server = registry.getComponent(ServerManagement.class);
    @SuppressWarnings({"unchecked", "rawtypes"}) // The server's own interface is raw.
    Map<String, ProtocolServer<?>> known =
        server == null ? Map.of() : (Map) server.getProtocolServers();
    return known == null ? List.of() : known.values();
  }

  @Override
  public void cacheStarting(ComponentRegistry registry, Configuration configuration, String name) {
    DiskReserve watched = disk;
    if (watched == null || !configuration.persistence().usingStores()) {
      return;
    }
    BasicComponentRegistry components = registry.getComponent(BasicComponentRegistry.class);
    AsyncInterceptorChain chain = components.getComponent(AsyncInterceptorChain.class).wired();
    chain.addInterceptor(new StoreWriteGuard(watched, new FailStop(watched)), 0);
  }

  @Override
  public void cacheManagerStopping(GlobalComponentRegistry registry) {
    DiskWatch running = watch;
    if (running != null) {
      running.stop();
    }
  }
}
