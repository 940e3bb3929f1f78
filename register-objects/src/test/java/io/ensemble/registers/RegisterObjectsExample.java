package io.ensemble.registers;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ensemble.CacheDefinition;
import io.ensemble.EnsembleCache;
import io.ensemble.EnsembleCacheManager;
import io.ensemble.Mode;

/** The example of docs/register-objects.md, compiled and run as it stands there. */
final class RegisterObjectsExample {

  private RegisterObjectsExample() {}

  static String run(EnsembleCacheManager manager) {
    // example:begin
    EnsembleCache<String, byte[]> cache =
        manager.createCache(
            CacheDefinition.of("registers", Mode.MWMR).sites("lyon", "oslo", "rome").build());
    try (RegisterObjects objects = RegisterObjects.in(cache)) {
      RegisterObject<byte[]> holder =
          objects.object("holder", ObjectStateCodec.bytes(), "free".getBytes(UTF_8));
      boolean isMine = holder.compareAndSwap("free".getBytes(UTF_8), "ada".getBytes(UTF_8));

      KSetAgreement leaders =
          objects.setAgreement("leaders", 5, 2); // at most 2 of 5 processes lead
      String leader = new String(leaders.propose("ada".getBytes(UTF_8)), UTF_8);
      return isMine + ", led by " + leader;
    }
    // example:end
  }
}
