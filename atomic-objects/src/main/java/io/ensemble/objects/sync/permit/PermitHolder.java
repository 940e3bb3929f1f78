package io.ensemble.objects.sync.permit;

import java.util.UUID;

/**
 * One that holds permits.
 *
 * @param renewals how often it has shown that it lives
 * @param leaseMillis how long it may be silent
 * @param note what it tells observers
 */
public record PermitHolder(
    UUID request, long token, long renewals, long leaseMillis, String note) {}
