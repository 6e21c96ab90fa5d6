// The profile of a browser that measures: nothing is fetched, reported or shown
// besides the page.

// Clocks as fine as they are. Pages get coarser ones to keep them from spying on
// each other; there is one page here, and it is wirecost's own.
user_pref("privacy.reduceTimerPrecision", false);
user_pref("privacy.reduceTimerPrecision.unconditional", false);
user_pref("privacy.resistFingerprinting", false);
user_pref("privacy.fingerprintingProtection", false);

// Nothing slows the page down, and a long batch is no hang.
user_pref("dom.min_background_timeout_value", 4);
user_pref("dom.timeout.enable_budget_timer_throttling", false);
user_pref("dom.max_script_run_time", 0);
user_pref("dom.ipc.processPriorityManager.enabled", false);

// All content codings also from servers on a test network.
user_pref("network.http.accept-encoding", "gzip, deflate, br, zstd");

// No first steps, no questions, no restored sessions.
user_pref("browser.aboutwelcome.enabled", false);
user_pref("browser.newtabpage.enabled", false);
user_pref("browser.sessionstore.resume_from_crash", false);
user_pref("browser.shell.checkDefaultBrowser", false);
user_pref("browser.startup.homepage", "about:blank");
user_pref("browser.startup.homepage_override.mstone", "ignore");
user_pref("browser.startup.page", 0);
user_pref("datareporting.policy.dataSubmissionEnabled", false);
user_pref("startup.homepage_welcome_url", "");
user_pref("startup.homepage_welcome_url.additional", "");
user_pref("termsofuse.bypassNotification", true);
user_pref("toolkit.startup.max_resumed_crashes", -1);
user_pref("trailhead.firstrun.didSeeAboutWelcome", true);

// No network of its own.
user_pref("app.normandy.enabled", false);
user_pref("app.update.auto", false);
user_pref("app.update.enabled", false);
user_pref("browser.ping-centre.telemetry", false);
user_pref("browser.region.network.url", "");
user_pref("browser.region.update.enabled", false);
user_pref("browser.safebrowsing.downloads.enabled", false);
user_pref("browser.safebrowsing.downloads.remote.enabled", false);
user_pref("browser.safebrowsing.malware.enabled", false);
user_pref("browser.safebrowsing.phishing.enabled", false);
user_pref("browser.safebrowsing.update.enabled", false);
user_pref("browser.search.update", false);
user_pref("browser.topsites.contile.enabled", false);
user_pref("datareporting.healthreport.uploadEnabled", false);
user_pref("datareporting.usage.uploadEnabled", false);
user_pref("dom.push.connection.enabled", false);
user_pref("extensions.blocklist.enabled", false);
user_pref("extensions.getAddons.cache.enabled", false);
user_pref("extensions.systemAddon.update.enabled", false);
user_pref("extensions.update.enabled", false);
user_pref("geo.provider.testing", true);
user_pref("messaging-system.rsexperimentloader.enabled", false);
user_pref("network.captive-portal-service.enabled", false);
user_pref("network.connectivity-service.enabled", false);
user_pref("network.dns.disablePrefetch", true);
user_pref("network.http.speculative-parallel-limit", 0);
user_pref("network.prefetch-next", false);
user_pref("network.proxy.type", 0);
user_pref("network.trr.mode", 5);
user_pref("nimbus.rollouts.enabled", false);
user_pref("services.settings.server", "data:,#remote-settings-dummy/v1");
user_pref("toolkit.telemetry.enabled", false);
user_pref("toolkit.telemetry.reportingpolicy.firstRun", false);
user_pref("toolkit.telemetry.server", "");
user_pref("toolkit.telemetry.unified", false);
