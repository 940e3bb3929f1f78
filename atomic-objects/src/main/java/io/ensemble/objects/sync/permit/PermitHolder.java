package io.ensemble.objects.sync.permit;

import java.util.UUID;

/**
 * A holder of permits.
 *
 * @param renewals the number of its renewals
 * @param leaseMillis how long it may be without a renewal
 * @param note its text for observers
 */
public record PermitHolder(
    UUID request, long token, long renewals, long leaseMillis, String note) {}
