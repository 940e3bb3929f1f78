package io.ensemble.process;

import java.util.Collection;
import java.util.List;
import org.infinispan.configuration.global.GlobalConfiguration;
import org.infinispan.factories.GlobalComponentRegistry;
import org.infinispan.factories.impl.ModuleMetadataBuilder;
import org.infinispan.lifecycle.ModuleLifecycle;
import org.infinispan.remoting.transport.Transport;
import org.infinispan.remoting.transport.jgroups.JGroupsTransport;
import org.jgroups.JChannel;
import org.jspecify.annotations.Nullable;

/** An Infinispan module, found on the class path. It holds the channel to the node's peers. */
public final class PeerModule implements ModuleMetadataBuilder, ModuleLifecycle {

  private static volatile @Nullable JChannel channel;

  /** Called by Infinispan. */
  public PeerModule() {}

  /** The channel of this process's node; null while the node has no channel. */
  static @Nullable JChannel channel() {
    return channel;
  }

  @Override
  public String getModuleName() {
    return "ensemble-peers";
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
    // No components.
  }

  @Override
  public void cacheManagerStarting(GlobalComponentRegistry registry, GlobalConfiguration global) {
    // The transport starts after the modules.
  }

  @Override
  public void cacheManagerStarted(GlobalComponentRegistry registry) {
    if (registry.getComponent(Transport.class) instanceof JGroupsTransport transport) {
      channel = transport.getChannel();
    }
  }
}
