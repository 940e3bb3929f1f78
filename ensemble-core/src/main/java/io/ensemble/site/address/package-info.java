/**
 * The addresses allowed for a site that another user registers, so that registration cannot reach
 * addresses that only this process can reach. Every address needs a rule, and some are always
 * refused. A name is resolved once; the address that was checked is the one that is connected to.
 */
@NullMarked
package io.ensemble.site.address;

import org.jspecify.annotations.NullMarked;
