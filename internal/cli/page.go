package cli

import (
	"os"

	"github.com/spf13/cobra"

	"wirecost/internal/bundle"
	"wirecost/internal/page"
)

// pageCommand shows a page in a browser, as the runner that the page is.
// Runners' manifests use it.
func (a *App) pageCommand() *cobra.Command {
	var files, profile string
	cmd := &cobra.Command{
		Use:    "page --files DIR [--profile DIR] -- BROWSER [ARGUMENT...]",
		Short:  "be a runner that is a page in a browser",
		Hidden: true,
		Args:   cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, browser []string) error {
			return page.Run(cmd.Context(), page.Options{
				Files: os.DirFS(files), Profile: profile, Browser: browser, Requests: a.Stdin, Replies: a.Stdout,
			})
		},
	}
	cmd.Flags().StringVar(&files, "files", ".", "the page's files")
	cmd.Flags().StringVar(&profile, "profile", "", "the folder that the browser's profile begins with")
	return cmd
}

// bundleCommand makes the files of a page.
func (a *App) bundleCommand() *cobra.Command {
	var modules, out string
	cmd := &cobra.Command{
		Use:    "bundle --modules DIR --out DIR FILE...",
		Short:  "make the files of a page",
		Hidden: true,
		Args:   cobra.MinimumNArgs(1),
		RunE:   func(_ *cobra.Command, entries []string) error { return bundle.Page(".", modules, out, entries) },
	}
	cmd.Flags().StringVar(&modules, "modules", "node_modules", "the folder of packages")
	cmd.Flags().StringVar(&out, "out", "page", "the folder for what is made")
	return cmd
}
